package registry

import (
	"context"
	"net"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

func TestServe(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, listener, t.TempDir()) }()

	image, err := random.Image(1024, 2)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(listener.Addr().String() + "/org/image:v1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, image); err != nil {
		t.Fatal(err)
	}
	tags, err := remote.List(ref.Context())
	if err != nil || len(tags) != 1 || tags[0] != "v1.0.0" {
		t.Errorf("tags are %v, %v", tags, err)
	}
	pulled, err := remote.Image(ref)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := image.Digest()
	if have, err := pulled.Digest(); err != nil || have != want {
		t.Errorf("pulled %s, %v, want %s", have, err, want)
	}
	stop()
	if err := <-served; err != nil {
		t.Errorf("Serve() = %v", err)
	}
}
