import { join } from 'node:path'
import type { EmbeddedMessage } from '#lib/db/embedded/engine-answers.ts'
import { EngineThread } from '#lib/db/embedded/engine-thread.ts'
import { PATIENT } from '../../patience.ts'
import type { RewindMessage } from './rewinding-worker.ts'

/** To open an engine takes ten times as long as to bring one back to what it was when it was opened. */
const idle: RewoundEngine[] = []
const MAX_IDLE = 2

/** Returns an open engine with a copy of the archive. A process has one archive. */
export async function takeEngine(archive: string): Promise<EngineThread> {
  const engine = idle.pop() ?? new RewoundEngine(archive)
  await engine.opened
  return engine
}

class RewoundEngine extends EngineThread {
  constructor(archive: string) {
    super({
      archive,
      entry: join(import.meta.dirname, 'rewinding-worker.ts'),
      statementTimeoutMs: PATIENT.statementTimeoutMs,
    })
  }

  /** Keeps the engine for the next test. */
  override async close(onError: (error: unknown) => void): Promise<void> {
    if (idle.length < MAX_IDLE && (await this.#rewind())) idle.push(this)
    else await super.close(onError)
  }

  #rewind(): Promise<boolean> {
    const message: RewindMessage = { do: 'rewind' }
    return this.ask(message as unknown as EmbeddedMessage).then(
      () => true,
      () => false,
    )
  }
}
