import { toServiceError } from '#edge/http/problem.ts'
import type { Context, Member } from '#edge/http/route.ts'
import { letOthersRun } from '#lib/let-others-run.ts'
import { toHits } from '../answer/hit.ts'
import { type Answer, truncateAnswer } from '../answer/truncate.ts'
import type { RankedRow } from '../search/merge.ts'
import type { SourceQuery, SourceSearch } from '../search/search-source.ts'
import { sourceIdOf } from '../search/source-id.ts'
import { type Admitted, admit, type QuestionInput, unfinishedSource } from './admit.ts'
import type { Allowance } from './allowance.ts'
import type { RecordedQuestion, Records, WrittenRecord } from './record.ts'
import type { Sources, TypedId } from './sources.ts'
import type { AskedSource } from './store.ts'

type QuestionDeps = {
  readonly sources: Sources
  readonly records: Records
  readonly allowance: Allowance
  readonly search: SourceSearch
  readonly isUnfinished: (typed: TypedId) => boolean
}

/** How it ended to ask a source as it is remembered. */
type Attempt =
  | { readonly kind: 'found'; readonly rows: readonly RankedRow[] }
  /** The source is not remembered, or was changed since. */
  | { readonly kind: 'outdated' }
  | { readonly kind: 'refused'; readonly error: unknown }

/** A search under way; undefined if it must wait until the question is recorded and spent. */
type StartedSearch = Promise<RankedRow[]> | undefined

/**
 * One question, from its source to its settled record. It leaves exactly one record, however often it is tried and
 * however it ends, and there is no answer without one.
 */
export class Question {
  readonly #deps: QuestionDeps
  readonly #input: QuestionInput
  readonly #context: Context<Member>
  readonly #startedMs: number
  #source: AskedSource | undefined
  /** Also of a source that exists and cannot be asked: Activity shows it to those who may know of it. */
  #databaseName: string | undefined
  #record: WrittenRecord | undefined
  #isSearchOver = false
  #spending: Promise<void> | undefined
  #isCounted = false

  constructor(deps: QuestionDeps, input: QuestionInput, context: Context<Member>, startedMs = performance.now()) {
    this.#deps = deps
    this.#input = input
    this.#context = context
    this.#startedMs = startedMs
  }

  async answer(): Promise<Answer> {
    try {
      const rows = await this.#findRows()
      const { answer, bytes } = truncateAnswer(toHits(rows), this.#context.format)
      await this.#settle(200, bytes)
      return answer
    } catch (error) {
      await this.#settle(toServiceError(error).status, 0)
      throw error
    }
  }

  /** Records a question that was refused before it was asked. */
  async refuse(status: number): Promise<void> {
    this.#source = await this.#findSource()
    await this.#settle(status, 0)
  }

  /** Asks the remembered source if it is still current, otherwise the source as the store has it now. */
  async #findRows(): Promise<readonly RankedRow[]> {
    const remembered = this.#deps.sources.remembered(this.#typedId())
    const attempt: Attempt = remembered ? await this.#askRemembered(remembered) : { kind: 'outdated' }
    switch (attempt.kind) {
      case 'found':
        return attempt.rows
      case 'outdated':
        return this.#askCurrent(await this.#findSource())
      case 'refused': {
        // What it was refused for may have been changed since the source was remembered.
        const source = await this.#findSource()
        if (source?.version === remembered?.version) throw attempt.error
        return this.#askCurrent(source)
      }
      default:
        throw attempt satisfies never
    }
  }

  async #askRemembered(source: AskedSource): Promise<Attempt> {
    try {
      const admitted = await this.#admit(source)
      const search = this.#startSearch(admitted)
      // The search takes longest, so its statement is sent before the record is made.
      if (search) await letOthersRun()
      if ((await this.#writeRecord(search).version) !== source.version) return { kind: 'outdated' }
      await this.#spend()
      return { kind: 'found', rows: await this.#finishSearch(admitted, search) }
    } catch (error) {
      return { kind: 'refused', error }
    }
  }

  async #askCurrent(source: AskedSource | undefined): Promise<readonly RankedRow[]> {
    const admitted = await this.#admit(source)
    const search = this.#startSearch(admitted)
    await this.#writeRecord(search).version
    await this.#spend()
    return this.#finishSearch(admitted, search)
  }

  /** Throws if the caller may not ask this. A caller whose organization was refused last time spends first. */
  async #admit(source: AskedSource | undefined): Promise<Admitted> {
    this.#source = source
    if (!source && this.#deps.isUnfinished(this.#typedId())) throw unfinishedSource()
    const admitted = admit(source, this.#input, this.#context.principal)
    if (this.#deps.allowance.wasRefused(admitted.source.org_id)) await this.#spend()
    return admitted
  }

  /**
   * Starts the search at once where nobody outside hears of the question, which may yet be refused: only the answer has
   * to wait for the record and the quota.
   */
  #startSearch(admitted: Admitted): StartedSearch {
    const search = this.#deps.search.startHere(this.#queryOf(admitted))
    // Also keeps the failure of a search from ending the process: nobody awaits it if the question is refused meanwhile.
    const onEnd = () => {
      this.#isSearchOver = true
      this.#record?.hurry()
    }
    search?.then(onEnd, onEnd)
    return search
  }

  /** Only the first call writes. The record can wait for others as long as a search is under way. */
  #writeRecord(search?: StartedSearch): WrittenRecord {
    this.#record ??= this.#deps.records.write(this.#toRecord(), this.#source?.id ?? null)
    if (!search || this.#isSearchOver) this.#record.hurry()
    return this.#record
  }

  /** Spends one question of the organization, however often it is called. Throws if none is left. */
  async #spend(): Promise<void> {
    this.#spending ??= this.#deps.allowance.spend(this.#context.principal.org_id)
    await this.#spending
    this.#isCounted = true
  }

  #finishSearch(admitted: Admitted, search: StartedSearch): Promise<RankedRow[]> {
    return search ?? this.#deps.search.run(this.#queryOf(admitted))
  }

  async #settle(status: number, answer_bytes: number): Promise<void> {
    const record = this.#writeRecord()
    await record.version
    const duration_ms = performance.now() - this.#startedMs
    this.#deps.records.complete(record.id, { status, answer_bytes, counted: this.#isCounted, duration_ms })
  }

  #typedId(): TypedId {
    return { org_id: this.#context.principal.org_id, id: this.#input.id }
  }

  async #findSource(): Promise<AskedSource | undefined> {
    const { source, database_name } = await this.#deps.sources.find(this.#typedId())
    this.#databaseName = database_name
    return source
  }

  #queryOf(admitted: Admitted): SourceQuery {
    return { ...admitted, query: this.#input.query, limit: this.#input.top_k, context: this.#context }
  }

  #toRecord(): RecordedQuestion {
    const { principal, via } = this.#context
    const { query, filters } = this.#input
    const databaseName = this.#source?.database_name ?? this.#databaseName
    // The id of a source that does not exist may be any text, so it is not stored.
    const target = databaseName === undefined ? 'unknown' : sourceIdOf(databaseName)
    return { org_id: principal.org_id, target, source: via, principal, question: query, filters }
  }
}
