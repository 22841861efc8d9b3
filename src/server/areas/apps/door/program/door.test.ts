import { describe, expect, it } from 'vitest'
import { appLabelOf } from '../host-name.ts'
import { createAppDoor } from './door.ts'
import { headersForApp, headersFromApp } from './headers.ts'

describe('CO-03 the address of an app', () => {
  it.each([
    ['hello--acme.localhost:8787', 'localhost', 'hello--acme'],
    ['HELLO--acme.LOCALHOST', 'localhost', 'hello--acme'],
    ['hello--acme.localhost.:80', 'localhost', 'hello--acme'],
    ['a.b.localhost', 'localhost', ''],
    ['../../api/v1.localhost', 'localhost', ''],
    ['a%2f.localhost', 'localhost', ''],
    ['.localhost', 'localhost', ''],
    ['hello--acme.apps.example.com', 'apps.example.com', 'hello--acme'],
    ['localhost:8787', 'localhost', undefined],
    ['127.0.0.1:8787', 'localhost', undefined],
    ['notlocalhost', 'localhost', undefined],
    ['apps.example.com', 'apps.example.com', undefined],
    ['evil-apps.example.com', 'apps.example.com', undefined],
    [null, 'localhost', undefined],
  ])('host %s below %s is the app %s', (host, domain, label) => {
    expect(appLabelOf(host, domain)).toBe(label)
  })
})

describe('CO-03 an app behind the door', () => {
  const client = { address: '203.0.113.7', host: 'hello--acme.localhost', isSecure: false }

  it.each([
    ['svc_session=secret', null],
    ['a=1; svc_session=secret; b=2', 'a=1; b=2'],
    ['__Host-svc_session=secret; a=1', 'a=1'],
    [' __host-svc_flow=secret', null],
    ['SVC_SESSION=secret; a=1', 'a=1'],
    ['mysvc_session=fine', 'mysvc_session=fine'],
  ])('sees of the cookies %s only %s', (cookie, seen) => {
    expect(headersForApp(new Headers({ cookie }), client).get('cookie')).toBe(seen)
  })

  it('sees its client as the door knows it, not as the client claims', () => {
    const sent = new Headers({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-user': 'root',
      forwarded: 'for=127.0.0.1',
      'x-svc-hop': 'v1.stolen',
      connection: 'keep-alive, x-drop',
      'x-drop': 'yes',
      authorization: 'Bearer of-the-app',
    })
    expect(Object.fromEntries(headersForApp(sent, client))).toEqual({
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-host': 'hello--acme.localhost',
      'x-forwarded-proto': 'http',
      authorization: 'Bearer of-the-app',
    })
  })

  it('can set cookies for its own host only', () => {
    const sent = new Headers()
    sent.append('set-cookie', 'a=1; Domain=localhost; Path=/')
    sent.append('set-cookie', 'domain=2; domain = apps.example.com;HttpOnly')
    expect(headersFromApp(sent).getSetCookie()).toEqual(['a=1; Path=/', 'domain=2;HttpOnly'])
  })

  const door = createAppDoor({
    find: async ({ label }) => {
      const end = () => {}
      if (label === 'up')
        return { type: 'app', fetch: async ({ method, url }) => new Response(`${method} ${url}`), end }
      if (label === 'broken') return { type: 'app', fetch: async () => Promise.reject(new Error('reset')), end }
      if (label === 'starting') return { type: 'not_running', isStarting: true }
      return { type: label === 'down' ? 'not_running' : 'unknown' }
    },
    onError: () => {},
  })
  const ask = (label: string, headers: Record<string, string> = {}) =>
    door({
      label,
      request: new Request('http://x.localhost/a/b?c=1', { headers }),
      clientAddress: '203.0.113.7',
      host: 'x.localhost',
      isSecure: false,
    })

  it.each([
    ['up', {}, 200],
    ['broken', {}, 502],
    ['down', {}, 503],
    ['starting', {}, 503],
    ['unknown', {}, 404],
    ['up', { upgrade: 'websocket' }, 501],
  ])('%s with headers %j answers %i', async (label, headers, status) => {
    expect((await ask(label, headers)).status).toBe(status)
  })

  it('that does not answer is explained in two lines of text, and in a page to those who accept one', async () => {
    const plain = await ask('broken', { accept: '*/*' })
    expect(plain.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await plain.text()).toBe('No answer\nThe app did not answer this request.\n')
    const page = await ask('broken', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toContain('<p>The app did not answer this request.</p>')
  })

  it('that is starting says so, and when to try again; one that is not is called not running', async () => {
    const starting = await ask('starting')
    expect(starting.headers.get('retry-after')).toBe('5')
    expect(await starting.text()).toBe('App is starting\nThis app is starting. Try again in a few seconds.\n')
    expect(await (await ask('down')).text()).toMatch(/^App not running\n/)
  })

  it('gets path and query as they were sent', async () => {
    expect(await (await ask('up')).text()).toBe('GET http://127.0.0.1/a/b?c=1')
  })
})
