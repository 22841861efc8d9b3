import { PGlite } from '@electric-sql/pglite'
import { answerEngine, type EmbeddedMessage } from '#lib/db/embedded/engine-answers.ts'
import { serveWorker } from '#lib/threads/worker-serve.ts'
import { saveFiles } from './engine-files.ts'
import { type EngineModule, saveMemory } from './engine-memory.ts'

export type RewindMessage = { do: 'rewind' }

/** Libraries that the engine loads at their first use. After a rewind it would not know that they are loaded. */
const LIBRARIES = ['vector', 'plpgsql', 'dict_snowball']

let instances = 0
WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct: (target, args) => {
    instances += 1
    return Reflect.construct(target, args)
  },
})

const engines: PGlite[] = []
const create = PGlite.create.bind(PGlite)
PGlite.create = async (...args: Parameters<typeof create>) => {
  const engine = await create(...args)
  engines.push(engine)
  return engine
}

let saved: Promise<() => void> | undefined

/** Returns a function that makes the engine what it is now. */
async function save(): Promise<() => void> {
  await answerEngine({ do: 'open', isNew: false })
  const [engine] = engines as [PGlite]
  for (const library of LIBRARIES) await engine.exec(`load '${library}'`)
  const module = engine.Module as unknown as EngineModule
  const loaded = instances
  const restore = [saveMemory(module), saveFiles(module.FS)]
  return () => {
    if (instances !== loaded) throw new Error('the engine has loaded a library since')
    for (const part of restore) part()
  }
}

serveWorker(async (message: EmbeddedMessage | RewindMessage) => {
  if (message.do === 'close') return answerEngine(message)
  saved ??= save()
  const rewind = await saved
  return message.do === 'rewind' ? { value: rewind() } : answerEngine(message)
})
