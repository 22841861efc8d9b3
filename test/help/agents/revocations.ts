import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PRINCIPAL_CACHE_SECONDS } from '#contract/core/limits.ts'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { startFakeEmbeddings } from '../outside/fake-embeddings.ts'
import { startProcess } from '../programs/processes.ts'
import { seeded } from '../seeded.ts'
import { APP } from '../sign-in.ts'
import { makeAskable } from '../sources/sources.ts'
import { type System, testEnvironment } from '../system.ts'
import { type Connector, startConnector } from './connector.ts'
import { type Revocable, revocableAgent, revocableSession, revocableToken } from './revocable.ts'

type Options = { readonly questions: number; readonly revocations: number; readonly seed: number }

type Report = {
  questions: number
  revoked: Record<Revocable['kind'], number>
  /** Questions sent after the acknowledgement that were refused, as they must be. */
  refused: number
  /** Questions answered elsewhere in the seconds for which another process may remember a token or a session. */
  answeredElsewhere: number
  /** Questions that were answered though they had to be refused. */
  late: string[]
  /** Questions that were refused though nobody had begun to revoke what they were asked with. */
  lost: string[]
}

/** How long another process may answer API tokens and sessions after their revocation. Agents get no such time. */
const ELSEWHERE_MS = PRINCIPAL_CACHE_SECONDS * 1000
const ASKERS = 8

/**
 * Asks questions at two processes on one database, with agents, API tokens and sessions, and revokes one after the other
 * at either process meanwhile. Every question that was sent after the acknowledgement of the revocation is judged.
 */
export async function revokeWhileAsking(
  on: Pick<System, 'db' | 'databaseUrl'>,
  { questions, revocations, seed }: Options,
): Promise<Report> {
  await using stack = new AsyncDisposableStack()
  const { connector, urls } = await startTwoProcesses(on, stack)
  const { revocable, others } = await makeAskers(connector, revocations)
  const trial = new Trial(urls, revocable, others, seeded(seed))
  const asker = async () => {
    while (trial.asked < questions || trial.isWaiting) {
      // Spread over the first two thirds of the questions, so that the later ones meet what was revoked.
      if (trial.revokedCount < Math.min(revocations, (1.5 * revocations * trial.asked) / questions))
        await trial.revokeNext()
      await trial.askAny()
    }
  }
  await Promise.all(Array.from({ length: ASKERS }, asker))
  await trial.askAllRevoked()
  return trial.report
}

/** The first process is this one, in which people sign in and approve agents. Neither knows of the other. */
async function startTwoProcesses(on: Pick<System, 'db' | 'databaseUrl'>, stack: AsyncDisposableStack) {
  const fake = stack.use(await startFakeEmbeddings())
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-revocations-'))
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const env = {
    ...testEnvironment(on.databaseUrl, dataDir),
    SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]),
    SVC_QUESTIONS_PER_MINUTE: '1000000',
    SVC_QUESTIONS_PER_DAY: '1000000',
    SVC_REDIRECT_BASE_URL: APP,
    SVC_EXAMPLE: 'false',
  }
  const started = startProcess(env)
  const connector = stack.use(await startConnector({ on, env, outgoing: stack.use(createOperatorFetch()) }))
  const other = stack.use(await started)
  return { connector, urls: [connector.system.url, other.url] as const }
}

/** Makes those that are revoked, three of five of them agents, and one of each kind that is not. */
async function makeAskers(connector: Connector, revocations: number) {
  const owner = await connector.person('owner')
  await makeAskable(connector.system.client(owner.token), 'docs')
  const kinds = [
    () => revocableAgent(connector, owner),
    () => revocableToken(connector, owner),
    () => revocableSession(connector, owner.org_id),
    () => revocableAgent(connector, owner),
    () => revocableAgent(connector, owner),
  ]
  const others: Revocable[] = []
  for (const make of kinds.slice(0, 3)) others.push(await make())
  const revocable: Revocable[] = []
  while (revocable.length < revocations) revocable.push(await kinds[revocable.length % kinds.length]!())
  return { revocable, others }
}

type Revocation = { readonly url: string; readonly acknowledgedMs: number }

class Trial {
  readonly report: Report = {
    questions: 0,
    revoked: { agent: 0, api_token: 0, session: 0 },
    refused: 0,
    answeredElsewhere: 0,
    late: [],
    lost: [],
  }
  readonly #urls: readonly [string, string]
  readonly #waiting: Revocable[]
  readonly #all: readonly Revocable[]
  readonly #random: () => number
  /** Those whose revocation has begun. */
  readonly #begun = new Set<Revocable>()
  readonly #revocations = new Map<Revocable, Revocation>()

  constructor(
    urls: readonly [string, string],
    revocable: readonly Revocable[],
    others: readonly Revocable[],
    random: () => number,
  ) {
    this.#urls = urls
    this.#waiting = [...revocable]
    this.#all = [...revocable, ...others]
    this.#random = random
  }

  get asked(): number {
    return this.report.questions
  }

  get revokedCount(): number {
    return this.#begun.size
  }

  /** Whether another process may still answer one that was revoked. */
  get isWaiting(): boolean {
    const now = performance.now()
    return [...this.#revocations].some(([who, { acknowledgedMs }]) => now < acknowledgedMs + toleranceMs(who))
  }

  askAny(): Promise<void> {
    return this.#ask(this.#pick(this.#all), this.#pick(this.#urls))
  }

  /** Revokes the next one at either process, after both have answered it, and asks with it again at once. */
  async revokeNext(): Promise<void> {
    const who = this.#waiting.shift()
    if (!who) return
    const url = this.#pick(this.#urls)
    await this.#askEverywhere(who)
    this.#begun.add(who)
    await who.revoke(url)
    this.#revocations.set(who, { url, acknowledgedMs: performance.now() })
    this.report.revoked[who.kind] += 1
    await this.#askEverywhere(who)
  }

  async askAllRevoked(): Promise<void> {
    for (const who of this.#revocations.keys()) await this.#askEverywhere(who)
  }

  async #askEverywhere(who: Revocable): Promise<void> {
    await Promise.all(this.#urls.map((url) => this.#ask(who, url)))
  }

  async #ask(who: Revocable, url: string): Promise<void> {
    const sentMs = performance.now()
    const revocation = this.#revocations.get(who)
    const outcome = await who.ask(url)
    this.report.questions += 1
    if (revocation) this.#judgeRevoked(who, url, sentMs - revocation.acknowledgedMs, revocation, outcome)
    else if (outcome === 'refused' && !this.#begun.has(who)) this.report.lost.push(who.kind)
  }

  #judgeRevoked(who: Revocable, url: string, afterMs: number, revocation: Revocation, outcome: string): void {
    if (outcome === 'refused') this.report.refused += 1
    else if (url !== revocation.url && afterMs < toleranceMs(who)) this.report.answeredElsewhere += 1
    else this.report.late.push(`${who.kind}, ${Math.round(afterMs)} ms after its revocation`)
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)]!
  }
}

function toleranceMs({ kind }: Revocable): number {
  return kind === 'agent' ? 0 : ELSEWHERE_MS
}
