package selfmanaged

// reasonNotComposed is that of kinds which are served, but of which nothing is composed.
const reasonNotComposed = "NotComposed"
