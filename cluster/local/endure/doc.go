// Package endure lives the lives of clusters on a management cluster while it breaks things: components are killed and stopped, Azure and
// Entra answer wrongly, late or not at all. What each life does, and what happens to it, follows from a seed.
//
//	life := endure.Plan{Seed: 17}.Life(3) // the fourth life of seed 17, always the same
//	result, err := runner.Run(ctx)        // several lives at a time, until the goals are reached
//	err = endure.Append(file, result)     // a JSON line
package endure
