// The theme of the site, for Hugo's own `hugo mod`; there is no Go code below.
module github.com/crossplane-capz/crossplane-capz/docs/site/hugo

go 1.26.0

require github.com/imfing/hextra v0.9.7
