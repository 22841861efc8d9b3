/**
 * A process for the bytes of apps that somebody took over: when it is to open a proxy, it says what it can do with the
 * folder of the proxy and with the machine.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Worker } from 'node:worker_threads'

function codeOf(attempt: () => unknown): string {
  try {
    attempt()
    return 'allowed'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

function attempts(folder: string): string {
  return [
    `read ${codeOf(() => readFileSync(join(folder, 'secret')))}`,
    `list ${codeOf(() => readdirSync(folder))}`,
    `write ${codeOf(() => writeFileSync(join(folder, 'new'), ''))}`,
    `start ${codeOf(() => execFileSync(process.execPath, ['--version']))}`,
    `thread ${codeOf(() => new Worker('0', { eval: true }))}`,
  ].join(', ')
}

createInterface(process.stdin).on('line', (line) => {
  const order = JSON.parse(line) as { do: string; id: number; path: string }
  if (order.do === 'listen') process.stdout.write('{"is":"listening","port":1}\n')
  if (order.do === 'stop') process.exit(0)
  if (order.do !== 'open_proxy') return
  process.stdout.write(`${JSON.stringify({ is: 'done', id: order.id, fault: attempts(dirname(order.path)) })}\n`)
})
process.stdout.write('{"is":"loaded"}\n')
