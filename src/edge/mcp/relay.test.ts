import { describe, expect, it } from 'vitest'
import { Relay } from './relay.ts'

describe('NO-16 a stream to a slow reader', () => {
  function open() {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined
    let isCancelled = false
    const inner = new ReadableStream<Uint8Array>({
      start: (started) => {
        controller = started
      },
      cancel: () => {
        isCancelled = true
      },
    })
    const relay = new Relay(inner)
    const write = (text: string) => {
      relay.writes()
      controller!.enqueue(new TextEncoder().encode(text))
    }
    const reader = relay.body.getReader()
    const read = async () => new TextDecoder().decode((await reader.read()).value)
    return { relay, write, reader, read, close: () => controller!.close(), isCancelled: () => isCancelled }
  }

  it('is written to again only when the reader asks for more', async () => {
    const { relay, write, read } = open()
    write('one')
    expect(await relay.taken(1)).toBe(false)
    expect(await read()).toBe('one')
    const next = read()
    expect(await relay.taken(60_000)).toBe(true)
    write('two')
    expect(await relay.taken(1)).toBe(false)
    expect(await next).toBe('two')
  })

  it('ends with the body', async () => {
    const { relay, write, reader, read, close } = open()
    write('one')
    close()
    expect(await read()).toBe('one')
    expect((await reader.read()).done).toBe(true)
    expect(await relay.taken(60_000)).toBe(true)
  })

  it('ends the writer when the reader goes away', async () => {
    const { relay, write, reader, isCancelled } = open()
    write('one')
    await reader.cancel()
    expect(await relay.taken(60_000)).toBe(true)
    expect(isCancelled()).toBe(true)
  })
})
