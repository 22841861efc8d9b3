import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A public address, because svc fetches client documents from public addresses only. Here it is one of loopback. */
const PUBLIC_ADDRESS = '198.41.0.4'

/**
 * Prepares the namespaces of this process, which must be its own: loopback is up, the hosts have a public address of
 * loopback in /etc/hosts and at the name server, and every other name is unknown.
 */
export async function openNetwork(folder: string, hosts: readonly string[]): Promise<AsyncDisposable> {
  run('ip', 'link', 'set', 'lo', 'up')
  run('ip', 'address', 'add', `${PUBLIC_ADDRESS}/32`, 'dev', 'lo')
  const lines = hosts.map((host) => `${PUBLIC_ADDRESS} ${host}\n`)
  bind(join(folder, 'hosts'), '/etc/hosts', `127.0.0.1 localhost\n${lines.join('')}`)
  bind(join(folder, 'resolv.conf'), '/etc/resolv.conf', 'nameserver 127.0.0.1\n')
  const server = createSocket('udp4')
  server.on('message', (question, { port, address }) => server.send(answer(question, hosts), port, address))
  server.bind(53, '127.0.0.1')
  await once(server, 'listening')
  return { [Symbol.asyncDispose]: async () => void server.close() }
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

function bind(file: string, over: string, content: string): void {
  writeFileSync(file, content)
  run('mount', '--bind', file, over)
}

/** Answers a question for an A record (RFC 1035 section 4), or with "no such name". */
function answer(question: Buffer, hosts: readonly string[]): Buffer {
  const labels: string[] = []
  let at = 12
  for (; question[at]; at += question[at]! + 1)
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!).toLowerCase())
  const isHost = hosts.includes(labels.join('.'))
  const hasAddress = isHost && question.readUInt16BE(at + 1) === 1
  const head = Buffer.from(question.subarray(0, 12))
  head.writeUInt16BE(isHost ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(hasAddress ? 1 : 0, 6)
  head.writeUInt32BE(0, 8)
  const address = PUBLIC_ADDRESS.split('.').map(Number)
  const record = hasAddress ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]) : Buffer.alloc(0)
  return Buffer.concat([head, question.subarray(12, at + 5), record])
}
