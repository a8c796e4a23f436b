package network

import (
	"errors"
	"net"
	"net/netip"

	"golang.org/x/net/dns/dnsmessage"
)

// ttl is how many seconds an answer may be kept: names move with tests.
const ttl = 1

// Resolve answers questions for names at Azure's address for that, until the network is closed. Lookup returns the address of a name
// in lower case without a final dot, and whether there is one.
func (n *Network) Resolve(lookup func(name string) (string, bool)) error {
	conn, err := n.listenPacket(Resolver, 53)
	if err != nil {
		return err
	}
	n.services = append(n.services, conn)
	go func() {
		question := make([]byte, 4096)
		for {
			size, from, err := conn.ReadFrom(question)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				continue // Of one packet.
			}
			if answer, err := reply(question[:size], lookup); err == nil {
				_, _ = conn.WriteTo(answer, from) // Who asked asks again.
			}
		}
	}()
	return nil
}

// reply returns the answer to a question. Only addresses of IPv4 are known; other types of a known name have no records.
func reply(packet []byte, lookup func(string) (string, bool)) ([]byte, error) {
	var question dnsmessage.Message
	if err := question.Unpack(packet); err != nil {
		return nil, err
	}
	if question.Response || len(question.Questions) != 1 {
		return nil, errors.New("no question")
	}
	q := question.Questions[0]
	answer := dnsmessage.Message{
		Header: dnsmessage.Header{
			ID: question.ID, Response: true, RecursionDesired: question.RecursionDesired, RecursionAvailable: true,
		},
		Questions: question.Questions,
	}
	ip, known := lookup(canonical(q.Name.String()))
	address, err := netip.ParseAddr(ip)
	switch {
	case !known || err != nil:
		answer.RCode = dnsmessage.RCodeNameError
	case q.Type == dnsmessage.TypeA && address.Is4():
		answer.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: ttl},
			Body:   &dnsmessage.AResource{A: address.As4()},
		}}
	}
	return answer.Pack()
}
