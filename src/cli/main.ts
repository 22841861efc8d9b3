import { createCli } from './cli.ts'
import { readConfig } from './config.ts'
import { INTERRUPTED, reportError } from './exit.ts'
import { buildProgram } from './program.ts'

process.once('SIGINT', () => process.exit(INTERRUPTED))
// The reader went away, as `head` does: there is nobody left to write for.
process.stdout.on('error', () => process.exit(0))

const cli = createCli(readConfig())
const argv = process.argv.slice(2)
try {
  const program = await buildProgram(argv, cli)
  await program.parseAsync(argv, { from: 'user' })
} catch (error) {
  process.exitCode = reportError(error, cli.note)
}
