import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { encode, type Format } from '#edge/format/negotiate.ts'
import type { Hit } from '../../src/server/areas/data-sources/answer/hit.ts'
import { truncateAnswer } from '../../src/server/areas/data-sources/answer/truncate.ts'
import { type Floor, requireFloors } from '../help/floors.ts'

/**
 * Shortening an answer to 16 KiB, beside merely writing it out once; limit: 1 ms at the 99th percentile. The second
 * tells a slow function from a busy machine. An MCP text block is JSON, so the JSON row is its row too. What an answer
 * holds does not depend on speed: its floors fail the run.
 */
const tenth = process.argv.includes('--tenth')
const ROUNDS = tenth ? 200 : 2_000
const SEED = 7
const ANSWER_BYTES = 16_384
const random = seeded(SEED)

const answers = Array.from({ length: 50 }, () => Array.from({ length: 20 }, (_, n) => hit(n)))
console.log(`${ROUNDS} answers of 20 hits with three values of up to 4,000 characters, seed ${SEED}`)
for (const format of ['json', 'yaml'] as const) {
  measure(format, ROUNDS / 10)
  const { cut, write } = measure(format, ROUNDS)
  console.log(
    `${format}  shorten p50 ${at(cut, 0.5)} ms, p99 ${at(cut, 0.99)} ms (limit 1.000)   ` +
      `write p50 ${at(write, 0.5)} ms, p99 ${at(write, 0.99)} ms   ratio of p50 ${(Number(at(cut, 0.5)) / Number(at(write, 0.5))).toFixed(2)}`,
  )
}
requireFloors((['json', 'yaml'] as const).flatMap(floorsOf))

/** Checks that every shortened answer fits, uses its space, and parses to the expected value. */
function floorsOf(format: Format): Floor[] {
  const written = answers.map((hits) => {
    const { answer } = truncateAnswer(hits, format)
    const { body } = encode(answer, format)
    const read: unknown = format === 'json' ? JSON.parse(body) : parse(body)
    return { bytes: Buffer.byteLength(body), isWhole: isDeepStrictEqual(read, answer) }
  })
  const bytes = written.map((one) => one.bytes)
  return [
    { name: `${format}, largest answer in bytes`, value: Math.max(...bytes), atMost: ANSWER_BYTES },
    { name: `${format}, least filled`, value: Math.min(...bytes) / ANSWER_BYTES, atLeast: 0.99 },
    {
      name: `${format}, answers that parse to another value`,
      value: written.filter((one) => !one.isWhole).length,
      atMost: 0,
    },
  ]
}

function measure(format: Format, rounds: number): { cut: number[]; write: number[] } {
  const [cut, write]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const hits = answers[round % answers.length]!
    const started = performance.now()
    truncateAnswer(hits, format)
    const between = performance.now()
    encode({ count: hits.length, results: hits }, format)
    cut.push(between - started)
    write.push(performance.now() - between)
  }
  return { cut, write }
}

function at(times: number[], share: number): string {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]!.toFixed(3)
}

function hit(n: number): Hit {
  const metadata = { body: text(4_000), summary: text(400), notes: text(2_000), _score: random(), _target: 'docs' }
  return { id: String(n), title: text(80), metadata }
}

function text(longest: number): string {
  const words = ['plain', 'naïve', 'a "quote"', 'línea\n', '漢字', '👍🏽', 'tab\t', 'word', 'another', 'more']
  const length = longest * random()
  let content = ''
  while (content.length < length) content += `${words[Math.floor(random() * words.length)]} `
  return content
}

/** Park and Miller's generator: the same seed gives the same answers. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
