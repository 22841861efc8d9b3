import { join, relative, resolve } from 'node:path'
import { installCommand } from '#contract/client-package.ts'
import { isBundled } from '#lib/files/bundle.ts'

/** The command that runs the client: that of the checkout, or the one that was installed beside a release. */
export const CLIENT = isBundled ? 'svc' : 'npx svc'

/** Returns the commands that the first start suggests. The README has the same ones, and a test compares them. */
export function nextSteps(url: string, dataDir: string, example: boolean, client = CLIENT): string {
  const ask = example ? 'query db_handbook "my laptop was stolen, what now?"' : 'list'
  // A checkout has the client; a release is only the server.
  const install = client === 'svc' ? `  ${installCommand(url)}\n` : ''
  return `
The first start created an organization, its owner and an API key: see ${shortPath(join(dataDir, 'first-run.json'))}. Try it:

${install}  ${dataDirSetting(dataDir)}${client} login
  ${client} datasource ${ask}
  ${client} activity --type data_sources

The guides are at ${url}/guides, the API reference at ${url}/docs.
`
}

/** Returns a path relative to the working directory for files inside it, else the path as it is. */
export function shortPath(file: string): string {
  const near = relative(process.cwd(), file)
  return near.startsWith('..') ? file : near
}

/** Returns the SVC_DATA_DIR setting that the client needs for any data folder but `.svc`. */
function dataDirSetting(dataDir: string): string {
  if (resolve(dataDir) === resolve('.svc')) return ''
  const path = shortPath(dataDir)
  return `SVC_DATA_DIR=${/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`} `
}
