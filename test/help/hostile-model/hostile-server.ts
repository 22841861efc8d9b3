import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { isRecord, tryParseObject } from '#lib/json.ts'
import { brokenAnswer, callsAnswer, statusAnswer, textAnswer, type WireAnswer, type WireKind } from './answers.ts'
import { finishCall } from './finishes.ts'
import { heavyAnswer } from './heavy-answers.ts'
import { type Knowledge, learn, type ModelCall } from './knowledge.ts'
import { oddText } from './odd-texts.ts'
import { type Chance, createChance } from './random.ts'
import { toolCall } from './tool-calls.ts'

/** Ids and names of other apps and organizations, and texts that a model shall search for. */
export type Words = { readonly foreign: readonly string[]; readonly searched: readonly string[] }

type ServerOptions = {
  readonly seed: number
  readonly words: (model: string) => Words
  /** Called with every request before it is answered. */
  readonly onRequest: (model: string, body: string) => void
  /** Called before some answers: the claim of the run is lost then. */
  readonly onSteal: (model: string) => Promise<void>
}

/** `turns` counts the tool calls that models asked for. */
export type HostileServer = AsyncDisposable & {
  readonly baseUrl: string
  readonly apiKey: string
  readonly counts: {
    answers: number
    turns: number
    orders: number
    steals: number
    broken: number
    trapped: number
    faults: string[]
  }
}

const PATHS: Record<string, WireKind> = { '/v1/chat/completions': 'openai', '/v1/messages': 'anthropic' }
const MAX_ENDLESS_BYTES = 64 * 1024 * 1024

/** A provider on loopback whose models do all that they can to get out of their run. It speaks both protocols. */
export async function startHostileServer(options: ServerOptions): Promise<HostileServer> {
  const counts = { answers: 0, turns: 0, orders: 0, steals: 0, broken: 0, trapped: 0, faults: [] as string[] }
  const trap = await listen((_, response) => {
    counts.trapped++
    response.end()
  })
  const chances = new Map<string, Chance>()
  const chanceOf = (model: string) => {
    const found = chances.get(model) ?? createChance(options.seed + Number(/\d+$/.exec(model)?.[0] ?? 0) + 1)
    chances.set(model, found)
    return found
  }
  const server = await listen(
    async (request, response) => {
      const kind = PATHS[request.url ?? '']
      const body = await text(request)
      const turn = kind && readTurn(body)
      if (!kind || !turn) return void response.writeHead(404).end()
      options.onRequest(turn.model, body)
      const chance = chanceOf(turn.model)
      const knowledge = learn(turn.texts)
      counts.answers++
      if (chance.is(0.004)) {
        counts.steals++
        await options.onSteal(turn.model)
      }
      const answer = answerOf({ chance, kind, knowledge, words: options.words(turn.model), trapUrl: trap.url, counts })
      await send(response, answer)
    },
    (error) => counts.faults.push(String(error instanceof Error ? error.stack : error)),
  )
  return {
    baseUrl: `${server.url}/v1`,
    apiKey: 'sk-hostile-model',
    counts,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await trap[Symbol.asyncDispose]()
    },
  }
}

type Context = {
  readonly chance: Chance
  readonly kind: WireKind
  readonly knowledge: Knowledge
  readonly words: Words
  readonly trapUrl: string
  readonly counts: HostileServer['counts']
}

function answerOf({ chance, kind, knowledge, words, trapUrl, counts }: Context): WireAnswer {
  const calls = callsOf({ chance, knowledge, words, counts })
  const act = chance.weighted([
    [850, 'calls'],
    [60, 'finish'],
    [15, 'text'],
    [25, 'broken'],
    [12, 'status'],
    [8, 'heavy'],
  ] as const)
  if (act !== 'calls' && act !== 'finish') counts.broken++
  else counts.turns += act === 'finish' ? 1 : calls.length
  switch (act) {
    case 'calls':
      return callsAnswer(chance, kind, calls)
    case 'finish':
      return callsAnswer(chance, kind, [finishCall(chance, knowledge), ...(chance.is(0.05) ? calls : [])])
    case 'text':
      return textAnswer(chance, kind, oddText(chance).repeat(1 + chance.int(200)))
    case 'broken':
      return brokenAnswer(chance, kind, calls)
    case 'status':
      return statusAnswer(chance, trapUrl)
    case 'heavy':
      return heavyAnswer(chance, kind)
    default:
      return act satisfies never
  }
}

/** Obeys an order that it has read, or tries something of its own. */
function callsOf({ chance, knowledge, words, counts }: Omit<Context, 'kind' | 'trapUrl'>): ModelCall[] {
  const count = chance.weighted([
    [3, 1],
    [5, 2 + chance.int(5)],
    [0.3, 10],
  ])
  return Array.from({ length: count }, () => {
    if (knowledge.orders.length === 0 || !chance.is(0.25)) return toolCall(chance, knowledge, words)
    counts.orders++
    return chance.oneOf(knowledge.orders)
  })
}

type Turn = { readonly model: string; readonly texts: readonly string[] }

/** Returns the texts of the conversation that the model did not write itself. */
function readTurn(body: string): Turn | undefined {
  const request = tryParseObject(body)
  if (!request || typeof request.model !== 'string' || !Array.isArray(request.messages)) return undefined
  return { model: request.model, texts: request.messages.flatMap(textsOf) }
}

function textsOf(message: unknown): string[] {
  if (!isRecord(message) || message.role === 'assistant') return []
  const { content } = message
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content
    .flatMap((block) => (isRecord(block) ? [block.text, block.content] : []))
    .filter((one) => typeof one === 'string')
}

async function send(response: ServerResponse, { status, headers, parts, end }: WireAnswer): Promise<void> {
  response.on('error', () => {})
  if (status > 599) return void response.socket?.end(`HTTP/1.1 ${status} Odd\r\ncontent-length: 0\r\n\r\n`)
  response.writeHead(status, headers)
  for (const part of parts) await write(response, part)
  if (end === 'endless') await repeat(response, parts.at(-1)!)
  if (end === 'destroy') response.destroy()
  else response.end()
}

async function repeat(response: ServerResponse, part: Uint8Array): Promise<void> {
  for (let sent = 0; !response.destroyed && sent < MAX_ENDLESS_BYTES; sent += part.byteLength) {
    await write(response, part)
  }
}

async function write(response: ServerResponse, part: Uint8Array): Promise<void> {
  const isFree = response.write(part)
  if (isFree || response.destroyed) return void (await new Promise((resolve) => setImmediate(resolve)))
  await new Promise<void>((resolve) => {
    response.once('drain', resolve)
    response.once('close', resolve)
  })
}

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

async function listen(
  answer: Answer,
  onFault = (_: unknown) => {},
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const failed = (error: unknown) => {
      if (!response.destroyed) onFault(error)
      response.destroy()
    }
    void (async () => answer(request, response))().catch(failed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
