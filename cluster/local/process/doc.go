// Package process runs commands that outlive whoever started them, and keeps a record of each, so that others can look
// after them: end them, start them again as they were, and tell which have ended by themselves.
package process
