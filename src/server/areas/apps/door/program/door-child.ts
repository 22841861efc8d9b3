/**
 * The process that meets the bytes of apps: it owns their port, their way out and the probes of svc. Standard input
 * carries one JSON object a line from svc and standard output one a line back. It holds nothing that is worth stealing,
 * and when it ends, requests to apps are interrupted and nothing else is. When svc ends, so does it.
 */

import { receiveLines } from '../lines.ts'
import type { FromDoor, ToDoor } from '../messages.ts'
import { DoorProgram } from './door-program.ts'

const MAX_ORDER_BYTES = 1024 * 1024
const tell = (message: FromDoor) => void process.stdout.write(`${JSON.stringify(message)}\n`)
const program = new DoorProgram(tell, (code) => process.exit(code))

process.stdout.on('error', () => process.exit(1))
process.stdin.on('end', () => process.exit(1))
receiveLines(process.stdin, MAX_ORDER_BYTES, {
  onLine: (line) => program.receive(JSON.parse(line) as ToDoor),
  onTooLong: () => process.exit(1),
})
tell({ is: 'loaded' })
