import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/**
 * `node serve-checkout.ts <checkout> <rows>`: serves a source with the code of a checkout of svc, which may be older than
 * this file, prints where as JSON, and ends with its standard input.
 */
const [checkout = '', rows = ''] = process.argv.slice(2)
const helpOf = (name: string) => import(join(checkout, 'bench/help', `${name}.ts`))
const { agentToken } = (await helpOf('mcp')) as typeof import('../help/mcp.ts')
const { makeSecrets, startOurs } = (await helpOf('ours')) as typeof import('../help/ours.ts')
const { makeQuestions, startEmbedder } = (await helpOf('questions')) as typeof import('../help/questions.ts')
const { makeSource } = (await helpOf('source')) as typeof import('../help/source.ts')
const { startStores } = (await helpOf('stores')) as typeof import('../help/stores.ts')

await using stack = new AsyncDisposableStack()
const dataDir = mkdtempSync(join(tmpdir(), 'svc-against-'))
stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
const stores = stack.use(await startStores())
const questions = makeQuestions()
const { provider } = stack.use(await startEmbedder(questions))
const secrets = makeSecrets()
const { pid, url } = stack.use(await startOurs({ ...stores, provider, dataDir }, secrets))
const { id, token } = await makeSource(url, secrets.SVC_OPERATOR_TOKEN, stores.databaseUrl, Number(rows))
const agent = await agentToken(url, stores.databaseUrl, secrets)
console.log(JSON.stringify({ pid, url, id, token, agent, questions: questions.length }))
await text(process.stdin)
