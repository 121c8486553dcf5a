package api

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"sync"
	"time"
)

// sessionLife is how long a browser stays signed in.
const sessionLife = 12 * time.Hour

// maxSessions bounds how many browsers are signed in at once; the oldest goes first.
const maxSessions = 1000

// session is one signed-in browser.
type session struct {
	// csrf is what its changing requests must carry; a page of another site cannot read it.
	csrf    string
	expires time.Time
}

// sessions holds who is signed in, by the digest of the cookie's value: a dump of the memory signs nobody in. A restart
// forgets them all. It is safe for concurrent use.
type sessions struct {
	now func() time.Time
	// cookie and csrfCookie have a part of the server's own, because cookies of one host do not tell ports apart.
	cookie     string
	csrfCookie string

	mu   sync.Mutex
	held map[[sha256.Size]byte]session
}

func newSessions(token string, now func() time.Time) *sessions {
	own := sha256.Sum256([]byte("agentrun cookie name\x00" + token))
	suffix := hex.EncodeToString(own[:4])
	return &sessions{
		now: now, cookie: "agentrun_session_" + suffix, csrfCookie: "agentrun_csrf_" + suffix,
		held: map[[sha256.Size]byte]session{},
	}
}

// find is the session a request belongs to.
func (s *sessions) find(r *http.Request) (session, bool) {
	cookie, err := r.Cookie(s.cookie)
	if err != nil {
		return session{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	held, ok := s.held[sha256.Sum256([]byte(cookie.Value))]
	if !ok || !s.now().Before(held.expires) {
		return session{}, false
	}
	return held, true
}

// begin makes a session and the cookies that carry it.
func (s *sessions) begin(r *http.Request) (session, []*http.Cookie) {
	id := randomText()
	held := session{csrf: randomText(), expires: s.now().Add(sessionLife)}
	s.mu.Lock()
	s.makeRoom()
	s.held[sha256.Sum256([]byte(id))] = held
	s.mu.Unlock()
	return held, []*http.Cookie{
		s.carry(r, s.cookie, id, true, sessionLife),
		s.carry(r, s.csrfCookie, held.csrf, false, sessionLife),
	}
}

// end forgets the request's session and takes its cookies back.
func (s *sessions) end(r *http.Request) []*http.Cookie {
	if cookie, err := r.Cookie(s.cookie); err == nil {
		s.mu.Lock()
		delete(s.held, sha256.Sum256([]byte(cookie.Value)))
		s.mu.Unlock()
	}
	return []*http.Cookie{s.carry(r, s.cookie, "", true, -time.Second), s.carry(r, s.csrfCookie, "", false, -time.Second)}
}

// makeRoom drops what is over, and the oldest where that is not enough. The lock is held.
func (s *sessions) makeRoom() {
	now := s.now()
	for key, held := range s.held {
		if !now.Before(held.expires) {
			delete(s.held, key)
		}
	}
	for len(s.held) >= maxSessions {
		var oldest [sha256.Size]byte
		first := time.Time{}
		for key, held := range s.held {
			if first.IsZero() || held.expires.Before(first) {
				oldest, first = key, held.expires
			}
		}
		delete(s.held, oldest)
	}
}

func (s *sessions) carry(r *http.Request, name, value string, hidden bool, life time.Duration) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // the readable one is the CSRF token's; Secure follows the connection
		Name: name, Value: value, Path: "/", MaxAge: int(life / time.Second),
		HttpOnly: hidden, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	}
}

func randomText() string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(random[:])
}
