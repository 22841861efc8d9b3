import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { untilDone } from '#test/until.ts'

/** A service behind the proxy: its address there, and the ports of its replicas. */
export type Backend = { name: string; port: number; replicas: readonly number[] }

/** A Postgres behind the proxy. `health` is a port that answers 200 while the server is the primary. */
export type DatabaseBackend = { port: number; servers: readonly { port: number; health: number }[] }

const ERRORS = { 502: 'Bad Gateway', 503: 'Service Unavailable', 504: 'Gateway Timeout' }

/** Starts Debian's HAProxy in front of all services and of Postgres. `check` is the address it asks each replica. */
export async function startHaproxy(
  backends: readonly Backend[],
  database: DatabaseBackend,
  check: '/readyz' | '/healthz' = '/readyz',
): Promise<AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-haproxy-'))
  for (const [status, title] of Object.entries(ERRORS)) {
    const head = [`HTTP/1.1 ${status} ${title}`, 'Content-Length: 0', 'Retry-After: 1', 'X-From: haproxy']
    writeFileSync(join(folder, `${status}.http`), `${head.join('\r\n')}\r\n\r\n`)
  }
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration(folder, backends, database, check))
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  await Promise.all(backends.map(({ port }) => untilDone(() => touch(port))))
  return {
    [Symbol.asyncDispose]: async () => {
      await end(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function configuration(folder: string, backends: readonly Backend[], database: DatabaseBackend, check: string): string {
  const pages = Object.keys(ERRORS).map((status) => `  errorfile ${status} ${join(folder, `${status}.http`)}`)
  return `
global
  maxconn 2000
defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout queue 2s
  timeout check 500ms
  retries 3
  option redispatch 1
  retry-on conn-failure empty-response
  http-reuse safe
  # Otherwise a small record of a stream waits up to 200 ms at each passage.
  option http-no-delay
  option forwardfor
${pages.join('\n')}
${backends.map((backend) => serviceText(backend, check)).join('')}
listen postgres
  mode tcp
  bind 127.0.0.1:${database.port}
  timeout client 1h
  timeout server 1h
  option httpchk GET /primary
${database.servers
  .map(
    ({ port, health }, i) =>
      `  server pg${i} 127.0.0.1:${port} check port ${health} inter 500ms fall 4 rise 1 on-marked-down shutdown-sessions`,
  )
  .join('\n')}
`
}

function serviceText({ name, port, replicas }: Backend, check: string): string {
  return `
listen ${name}
  bind 127.0.0.1:${port}
  balance leastconn
  # A request that may have changed something is never sent twice.
  http-request disable-l7-retry if !METH_GET
  option httpchk
  http-check send meth GET uri ${check === '/readyz' ? '/readyz?draining=404' : check} ver HTTP/1.1 hdr Host ${name}
  http-check disable-on-404
${replicas.map((to, i) => `  server ${name}-${i} 127.0.0.1:${to} check inter 500ms fall 2 rise 2 on-marked-down shutdown-sessions`).join('\n')}
`
}

async function touch(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
