import { spawn } from 'node:child_process'
import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { stopWithNpm } from './stop-with-npm.ts'

stopWithNpm(process.env)

/**
 * `npm start` in a checkout: starts the server, and beside it builds the console when it is missing or older than its
 * source. The build has a process of its own, because it takes longer than the start and leaves much in memory.
 */
const root = join(import.meta.dirname, '..')
const built = join(root, 'dist', 'console', 'index.html')

if (isStale()) buildConsole()
await import('../src/server/main.ts')

function isStale(): boolean {
  if (!existsSync(built)) return true
  const since = statSync(built).mtimeMs
  const sources = globSync('src/{console,contract,look}/**/*', { cwd: root })
  return sources.some((file) => statSync(join(root, file)).mtimeMs > since)
}

function buildConsole(): void {
  const script = join(import.meta.dirname, 'build-console.ts')
  const child = spawn(process.execPath, [script], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  process.once('exit', () => child.kill())
  child.on('error', ({ message }) => console.error(`svc: the console is not built: ${message}`))
  child.on('exit', (code) => {
    if (code !== null && code !== 0) console.error('svc: the console is not built. Run `npm run build` to try again.')
  })
}
