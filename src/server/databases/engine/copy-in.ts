import { copyDone } from './statements.ts'
import {
  COPY_FAIL,
  errorResponse,
  messagesOf,
  query,
  ready,
  type TransactionStatus,
  type WireMessage,
} from './wire-messages.ts'

type Side = {
  status(): TransactionStatus
  send(bytes: Buffer): Promise<Buffer>
  write(bytes: Buffer): Promise<void>
  next(): Promise<WireMessage | undefined>
  take(): Promise<void>
  give(): void
}

const COPY_BYTES = 256 * 1024 * 1024

export function mayCopyIn({ type, body }: WireMessage): boolean {
  return type === 'Q' && /\bcopy\b[\s\S]*\bfrom\s+stdin\b/i.test(body.toString())
}

/**
 * The engine must have all of a COPY at once. So it is begun without data, which tells the answer the client waits
 * for, and undone; the data is gathered, with the session free for others meanwhile; then all of it is sent.
 */
export async function copyIn(statement: WireMessage, side: Side): Promise<Buffer> {
  const inTransaction = side.status() !== 'I'
  const asked = await begin(statement, side, inTransaction)
  if (!asked.copies) return asked.answer
  await side.write(asked.answer)
  if (!inTransaction) side.give()
  const data = await gather(side)
  if (!inTransaction) await side.take()
  if (data === 'too much') return tooMuch(side)
  const answer = await side.send(Buffer.concat([statement.bytes, ...data, COPY_FAIL]))
  return answer.subarray(endOfCopyResponse(answer) ?? 0)
}

async function begin(statement: WireMessage, side: Side, inTransaction: boolean) {
  if (inTransaction) await side.send(query('savepoint svc_copy'))
  const answer = await side.send(Buffer.concat([statement.bytes, COPY_FAIL]))
  const end = endOfCopyResponse(answer)
  if (end === undefined) return { copies: false, answer }
  if (inTransaction) await side.send(query('rollback to savepoint svc_copy; release savepoint svc_copy'))
  else if (side.status() !== 'I') await side.send(query('rollback'))
  return { copies: true, answer: answer.subarray(0, end) }
}

function endOfCopyResponse(answer: Buffer): number | undefined {
  let at = 0
  for (const { type, bytes } of messagesOf(answer)) {
    at += bytes.length
    if (type === 'G') return at
  }
  return undefined
}

/** Its data and how it ends: done, or failed by the client's own wish. */
async function gather(side: Side): Promise<Buffer[] | 'too much'> {
  const data: Buffer[] = []
  let size = 0
  for (;;) {
    const next = await side.next()
    if (!next || next.type === 'X') return [COPY_FAIL]
    if (next.type === 'd') {
      size += next.bytes.length
      if (size <= COPY_BYTES) data.push(next.bytes)
    }
    if (next.type === 'f') return [next.bytes]
    if (next.type === 'c') return size > COPY_BYTES ? 'too much' : [...data, copyDone]
  }
}

async function tooMuch(side: Side): Promise<Buffer> {
  if (side.status() === 'T') await side.send(query('select svc_copy_too_large'))
  const text = `a COPY may hold ${COPY_BYTES / 1024 / 1024} MiB on the embedded engine: send it in parts`
  return Buffer.concat([errorResponse('ERROR', '54000', text), ready(side.status())])
}
