import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { type Wire, WireStream } from './wire-stream.ts'

/** Cuts what it is sent into messages again and answers each that a server would. */
function openFakeWire() {
  const received: string[] = []
  let started = false
  const answer = (bytes: Buffer): string => {
    const head = started ? 1 : 0
    const type = started ? String.fromCharCode(bytes[0]!) : 'startup'
    started = true
    const length = bytes.readInt32BE(head)
    const body = bytes.toString('utf8', head + 4, head + length)
    if (bytes.length < head + length) received.push('cut')
    received.push(`${type} ${body}`)
    const rest = bytes.subarray(head + length)
    const own = /[QSH]|startup/.test(type) ? `<${type} ${body}>` : ''
    return own + (rest.length === 0 ? '' : answer(rest))
  }
  const stopping = new AbortController()
  const wire: Wire = {
    stopped: stopping.signal,
    open: async () => {},
    send: async (bytes) => Buffer.from(answer(Buffer.from(bytes))),
  }
  return { wire, received, stop: (error: Error) => stopping.abort(error) }
}

function message(type: string, body: string): Buffer {
  const text = Buffer.from(body)
  const length = Buffer.alloc(4)
  length.writeInt32BE(text.length + 4)
  return Buffer.concat([Buffer.from(type), length, text])
}

const startup = message('', 'user=postgres')
const extended = [message('P', 'select $1'), message('B', 'Q ü'), message('E', ''), message('S', '')]
const conversation = [startup, message('Q', 'begin'), ...extended, message('H', ''), message('Q', 'x'.repeat(300))]
const RECEIVED = ['startup user=postgres', 'Q begin', 'P select $1', 'B Q ü', 'E ', 'S ', 'H ', `Q ${'x'.repeat(300)}`]
const ANSWER = `<startup user=postgres><Q begin><S ><H ><Q ${'x'.repeat(300)}>`

async function talk(chunks: readonly Buffer[]) {
  const { wire, received } = openFakeWire()
  const stream = new WireStream(wire)
  for (const chunk of chunks) stream.write(chunk)
  stream.end()
  let answer = ''
  for await (const part of stream) answer += (part as Buffer).toString()
  return { received, answer }
}

describe('the wire', () => {
  it('carries message by message', async () => {
    expect(await talk(conversation)).toEqual({ received: RECEIVED, answer: ANSWER })
  })

  it('carries several messages in one chunk', async () => {
    expect(await talk([Buffer.concat(conversation)])).toEqual({ received: RECEIVED, answer: ANSWER })
  })

  it('carries them the same wherever they are cut in two', async () => {
    const all = Buffer.concat(conversation)
    for (let cut = 1; cut < all.length; cut += 1) {
      const result = await talk([all.subarray(0, cut), all.subarray(cut)])
      expect([cut, result]).toEqual([cut, { received: RECEIVED, answer: ANSWER }])
    }
  })

  it('carries them the same byte by byte', async () => {
    const bytes = Array.from(Buffer.concat(conversation), (byte) => Buffer.from([byte]))
    expect(await talk(bytes)).toEqual({ received: RECEIVED, answer: ANSWER })
  })

  it('sends nothing before the message that the server answers to', async () => {
    const { wire, received } = openFakeWire()
    const stream = new WireStream(wire)
    for (const part of [startup, ...extended.slice(0, 3)]) stream.write(part)
    await once(stream, 'readable')
    expect(received).toEqual(['startup user=postgres'])
    stream.write(extended[3]!)
    await once(stream, 'readable')
    expect(received).toEqual(['startup user=postgres', 'P select $1', 'B Q ü', 'E ', 'S '])
    stream.destroy()
  })

  it('ends after Terminate, with every answer to earlier messages', async () => {
    const goodbye = message('X', '')
    expect(await talk([...conversation, goodbye])).toEqual({ received: RECEIVED, answer: ANSWER })
    expect(await talk([Buffer.concat([...conversation, goodbye])])).toEqual({ received: RECEIVED, answer: ANSWER })
  })

  it('connects when the engine is open, and fails with it when it cannot be opened', async () => {
    const { wire } = openFakeWire()
    const opened = Promise.withResolvers<void>()
    const stream = new WireStream({ ...wire, open: () => opened.promise })
    let connected = false
    const connect = once(stream.connect(), 'connect').then(() => (connected = true))
    expect(connected).toBe(false)
    opened.resolve()
    await connect
    stream.destroy()

    const broken = new WireStream({ ...wire, open: () => Promise.reject(new Error('cannot open')) })
    const [error] = await once(broken.connect(), 'error')
    expect(error).toMatchObject({ message: 'cannot open' })
    expect(broken.destroyed).toBe(true)
  })

  it('breaks with the engine, and with an answer that fails', async () => {
    const { wire, stop } = openFakeWire()
    const stream = new WireStream(wire)
    stop(new Error('the engine stopped'))
    expect((await once(stream, 'error'))[0]).toMatchObject({ message: 'the engine stopped' })
    expect(stream.destroyed).toBe(true)

    const failing = new WireStream({ ...openFakeWire().wire, send: () => Promise.reject(new Error('no answer')) })
    failing.write(startup)
    expect((await once(failing, 'error'))[0]).toMatchObject({ message: 'no answer' })
    expect(failing.destroyed).toBe(true)
  })
})
