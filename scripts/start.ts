import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { telling } from '../src/server/process/progress.ts'
import { stopWithNpm } from './stop-with-npm.ts'

stopWithNpm(process.env)

/** `npm start` in a checkout: builds the console when it is missing or older than its source, then starts the server. */
const root = join(import.meta.dirname, '..')
const built = join(root, 'dist', 'console', 'index.html')

if (isStale()) {
  try {
    const { buildConsole } = await import('./build-console.ts')
    await telling('building the console', buildConsole)
  } catch (error) {
    console.error(`svc: the console is not built: ${error instanceof Error ? error.message : String(error)}`)
  }
}
await import('../src/server/main.ts')

function isStale(): boolean {
  if (!existsSync(built)) return true
  const since = statSync(built).mtimeMs
  const sources = globSync('src/{console,contract,look}/**/*', { cwd: root })
  return sources.some((file) => statSync(join(root, file)).mtimeMs > since)
}
