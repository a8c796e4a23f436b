// Package walk takes a management cluster, or a part of one, from one state to another, a step at a time. What is done is found out by looking at
// the cluster, never remembered: a walk that was ended in the middle goes on when it is started again.
package walk
