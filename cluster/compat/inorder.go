package main

import "runtime"

// inOrder computes something of each number from the first on, several at a time, and hands the results over in the order of the numbers,
// until take wants no more.
func inOrder[T any](first uint64, compute func(number uint64) T, take func(T) (more bool)) {
	results, done := make(chan chan T, runtime.GOMAXPROCS(0)), make(chan struct{})
	defer close(done)
	go func() {
		for number := first; ; number++ {
			result := make(chan T, 1)
			select {
			case results <- result:
				go func() { result <- compute(number) }()
			case <-done:
				return
			}
		}
	}()
	for take(<-<-results) {
	}
}
