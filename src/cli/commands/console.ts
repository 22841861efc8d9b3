import { health } from '#contract/system.ts'
import { connect } from '../call/api.ts'
import { writeLinkPage } from '../call/link-page.ts'
import { isOnThisMachine } from '../call/plain-http.ts'
import type { LoginFlags, OutputFlags } from '../command/command.ts'
import { HintedError } from '../command/hinted-error.ts'
import type { Login } from '../login/contexts.ts'
import { findLogin } from '../login/credentials.ts'
import { findEmbedded, newSignInCode } from '../login/embedded.ts'
import { openBrowser } from '../terminal/browser.ts'
import type { Cli } from '../terminal/cli.ts'
import { show } from '../terminal/output.ts'

type Flags = OutputFlags & LoginFlags & { noBrowser?: boolean }

export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  const { login, code } = await findInstance(flags, cli)
  // A server that does not answer is reported here, and not by a browser that shows an empty page.
  await cli.progress(`Asking ${login.api_url}`, connect(login, cli, flags.timeout).call(health, {}))
  const url = code === undefined ? `${login.api_url}/auth/login` : `${login.api_url}/#sign-in=${code}`
  const { browser, dataDir } = cli.config
  const open = code === undefined ? openBrowser : openByPage(dataDir)
  const opened = !flags.noBrowser && browser !== undefined && (await open(browser, url))
  show(cli, flags.output, { url, code: code ?? null, opened }, () => [
    code === undefined ? `Sign in at ${url}` : `Open ${url} (signs you in once)`,
  ])
  if (!opened && !flags.noBrowser) cli.note('No browser found. Open the address yourself.')
  if (code === undefined && !cli.isForProgram && isOnThisMachine(login.api_url)) cli.note(linkHint(cli))
}

/** An instance on this machine may have no other sign-in than the code in its data folder, which is not here. */
function linkHint({ config: { program } }: Cli): string {
  return `If the page asks for a code, run ${program} console in the folder in which the server was started, or with SVC_DATA_DIR set to its data folder (.svc there): it prints a link that signs you in.`
}

/** Opens a link that signs in, by a page in the data folder, because other users can read a program's arguments. */
function openByPage(dataDir: string): typeof openBrowser {
  return async (browser, url) => {
    const page = await writeLinkPage(dataDir, url).catch(() => undefined)
    return page !== undefined && (await openBrowser(browser, page))
  }
}

/**
 * Returns the login to use; without one, that of the instance in the data folder. If the login is at that instance,
 * there is also a code that signs in once.
 */
async function findInstance(flags: Flags, cli: Cli): Promise<{ login: Login; code: string | undefined }> {
  const { config } = cli
  const embedded = await findEmbedded(config.dataDir)
  const login = (await findLogin(config, flags.context)) ?? embedded ?? (await noInstance(config))
  const code = embedded?.api_url === login.api_url ? await newSignInCode(config.dataDir) : undefined
  return { login, code }
}

async function noInstance({ dataDir, program }: Cli['config']): Promise<never> {
  const hint = `Run it in the folder in which the server was started, or log in: ${program} login --api-url <url> --api-key-stdin`
  throw new HintedError('INVALID_TOKEN', `You are not logged in, and there is no instance in ${dataDir}.`, hint)
}
