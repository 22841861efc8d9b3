import { installCommand } from '#contract/client-package.ts'
import { health } from '#contract/system.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { connect } from '../call/api.ts'
import type { LoginFlags, OutputFlags } from '../command/command.ts'
import { usageError } from '../command/hinted-error.ts'
import { requireLogin } from '../login/credentials.ts'
import type { Cli } from '../terminal/cli.ts'
import { Unsuccessful } from '../terminal/exit.ts'
import { show } from '../terminal/output.ts'
import { printable } from '../terminal/printable.ts'
import { compareVersions } from '../terminal/versions.ts'

type Flags = OutputFlags & LoginFlags & { check?: boolean }

/** Exit code of a command that worked and found something to do. */
const FOUND = 11

/** Asks only the instance of the login. Nothing else is called, so an instance without a network can be asked as well. */
export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  if (!flags.check)
    throw usageError('svc does not upgrade itself. Use --check to see whether there is a newer version.')
  const login = await requireLogin(cli.config, flags.context)
  const { api_url } = login
  // The result of the command says what the warning of another version would.
  const client = connect(login, { note: cli.note, config: cli.config, isForProgram: true }, flags.timeout)
  const { version: instance } = await cli.progress(`Asking ${api_url}`, client.call(health, {}))
  const { version } = packageJson
  const difference = compareVersions(version, instance)
  const state = difference === 0 ? 'same' : difference < 0 ? 'older' : 'newer'
  const document = { client: version, instance, api_url, client_is: state }
  show(cli, flags.output, document, () => printable(MESSAGES[state](version, instance, api_url)))
  if (state === 'older') throw new Unsuccessful(FOUND)
}

const MESSAGES = {
  same: (own: string, _: string, url: string) => `svc ${own} is the version of ${url}. There is nothing to do.`,
  older: (own: string, instance: string, url: string) =>
    `${url} runs ${instance}, and this client is ${own}. Install the client of ${instance}: ${installCommand(url)}`,
  newer: (own: string, instance: string, url: string) =>
    `${url} runs ${instance}, and this client is ${own}. Its operator can upgrade it: see ${url}/guides/upgrading`,
}
