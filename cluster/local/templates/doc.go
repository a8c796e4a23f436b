// Package templates brings the templates of Cluster API Provider Azure (CAPZ) up on a management cluster, unchanged: all that it publishes,
// and those that it tests with. Each has a namespace and an Azure subscription of its own, and ends with what it comes to here.
//
//	all, err := templates.Load(dir, checkout)    // dir is CAPZ's module
//	result := runner.Run(ctx, all[0])
//	templates.Write(file, results)
package templates
