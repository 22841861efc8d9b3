import { gzipSync } from 'node:zlib'
import type { WireAnswer, WireKind } from './answers.ts'
import type { Chance } from './random.ts'

const STREAM = { 'content-type': 'text/event-stream' }
const MEGABYTE = 1024 * 1024

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const OPENAI_END = event({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] })
const ANTHROPIC_END = event({ type: 'message_delta', delta: { stop_reason: 'tool_use' } })

type Maker = (kind: WireKind) => {
  readonly text: string
  readonly end?: WireAnswer['end']
  readonly isPacked?: boolean
}

/** As many calls as fit into an event of 4 MB, each without an index. */
const manyCalls: Maker = (kind) => {
  if (kind === 'anthropic') {
    const block = event({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'a', name: 'b' },
    })
    return { text: block.repeat(60_000) + ANTHROPIC_END }
  }
  const call = '{"id":"a","function":{"name":"b"}}'
  return {
    text: `data: {"choices":[{"delta":{"tool_calls":[${Array(100_000).fill(call).join(',')}]}}]}\n\n${OPENAI_END}`,
  }
}

/** Hundred calls of a tool in one answer. */
const hundredCalls: Maker = (kind) => {
  const calls = Array.from({ length: 100 }, (_, index) => index)
  if (kind === 'anthropic') {
    const block = (index: number) =>
      event({
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id: `c${index}`, name: 'list_files' },
      }) + event({ type: 'content_block_stop', index })
    return { text: calls.map(block).join('') + ANTHROPIC_END }
  }
  const call = (index: number) => ({ index, id: `c${index}`, function: { name: 'list_files', arguments: '{}' } })
  return { text: event({ choices: [{ delta: { tool_calls: calls.map(call) } }] }) + OPENAI_END }
}

/** One call whose arguments are a megabyte. */
const longCall: Maker = (kind) => {
  const written = JSON.stringify({ path: 'src/cart.js', old: 'a', new: 'line '.repeat(200_000) })
  if (kind === 'openai') {
    const call = { index: 0, id: 'a', function: { name: 'stage_edit', arguments: written } }
    return { text: event({ choices: [{ delta: { tool_calls: [call] } }] }) + OPENAI_END }
  }
  const start = event({
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 'a', name: 'stage_edit' },
  })
  const delta = event({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'input_json_delta', partial_json: written },
  })
  return { text: start + delta + ANTHROPIC_END }
}

const emptyChoices: Maker = () => ({
  text: `data: {"choices":[${Array(1_300_000).fill('{}').join(',')}]}\n\n${OPENAI_END}`,
})
const deepValue: Maker = () => ({
  text: `data: ${'['.repeat(2 * MEGABYTE)}\n\ndata: {"error":${'{"a":'.repeat(300_000)}1${'}'.repeat(300_000)}}\n\n`,
})
const longLine: Maker = () => ({ text: `data: ${'x'.repeat(5 * MEGABYTE)}\n\n` })
const zipBomb: Maker = () => ({ text: 'data: {"choices":[]}\n\n'.repeat(2 * MEGABYTE), isPacked: true })
const endlessComments: Maker = () => ({ text: ': still here\n\n'.repeat(5_000), end: 'endless' })
const endlessLine: Maker = () => ({ text: 'x'.repeat(65_536), end: 'endless' })
const endlessText: Maker = (kind) => ({
  text: (kind === 'openai'
    ? event({ choices: [{ delta: { content: 'and so on ' } }] })
    : event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'and so on ' } })
  ).repeat(500),
  end: 'endless',
})

const MAKERS: readonly (readonly [weight: number, maker: Maker])[] = [
  [20, hundredCalls],
  [4, longCall],
  [1, manyCalls],
  [1, emptyChoices],
  [1, deepValue],
  [1, longLine],
  [1, zipBomb],
  [1, endlessComments],
  [1, endlessLine],
  [1, endlessText],
]

/** Answers that are large or never end. The larger ones cost a second of processor time, so they are rare. */
export function heavyAnswer(chance: Chance, kind: WireKind): WireAnswer {
  const { text, end = 'end', isPacked } = chance.weighted(MAKERS)(kind)
  const headers = { ...STREAM, ...(isPacked && { 'content-encoding': 'gzip' }) }
  return { status: 200, headers, parts: [isPacked ? gzipSync(text) : Buffer.from(text)], end }
}
