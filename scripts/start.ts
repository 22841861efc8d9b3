import { printIfSlow } from '../src/server/process/first-start/progress.ts'
import { isConsoleStale, runConsoleBuild } from './console-build.ts'
import { bundledServer } from './server-bundle.ts'
import { stopWithNpm } from './stop-with-npm.ts'

stopWithNpm(process.env)

/**
 * `npm start` in a checkout: starts the server, and beside it builds the console when it is missing or older than its
 * source, because the build takes longer than the start.
 */
if (isConsoleStale()) {
  runConsoleBuild().catch(({ message }: Error) => {
    console.error(`svc: the console is not built: ${message}. Run \`npm run build\` to try again.`)
  })
}
const server = await printIfSlow('joining the sources, which the next start need not do', () => bundledServer()).catch(
  ({ message }: Error) => {
    console.error(`svc: starts more slowly, because its sources could not be joined into one file: ${message}`)
    return '../src/server/main.ts'
  },
)
await import(server)
