// Package switching has a management cluster that runs the real CAPZ taken over, and returned, while the simulated Azure keeps a log of what it is asked.
package switching
