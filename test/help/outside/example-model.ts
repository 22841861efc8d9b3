import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { rootFolder } from '#lib/files/bundle.ts'

export const EXAMPLE_MODEL = join(rootFolder, 'examples', 'chat-model', 'start.js')

/** The example chat model of docs/maintenance.md, and the variable that it prints. */
export type ExampleModel = AsyncDisposable & { readonly env: { readonly SVC_AI_PROVIDERS: string } }

export async function startExampleModel(): Promise<ExampleModel> {
  const child = spawn(process.execPath, [EXAMPLE_MODEL, '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  let providers = ''
  for await (const line of createInterface(child.stdout)) {
    const [, value] = /^SVC_AI_PROVIDERS='(.*)'$/.exec(line) ?? []
    if (value === undefined) continue
    providers = value
    break
  }
  return {
    env: { SVC_AI_PROVIDERS: providers },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
