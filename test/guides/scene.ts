import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminCreateToken } from '#contract/auth/auth.ts'
import { createAddressCheck, createSafeFetch } from '#lib/net/safe-fetch.ts'
import { type FakeChat, startFakeChat } from '#test/outside/fake-chat.ts'
import { GENERIC_ISSUER, startFakeIdp } from '#test/outside/fake-idp.ts'
import { fakeConnect, fakeResolve, startPeer } from '#test/outside/internet.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { type System, startSystem } from '#test/system.ts'
import { packSdk } from '../../scripts/pack-sdk.ts'
import { writePrograms } from './reader.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PUBLIC_IP = '93.184.215.14'
export const COLLEAGUE = 'ada@example.com'

/** A server, an owner of an organization, and the folder in which they work. */
export type Scene = AsyncDisposable & {
  readonly system: System
  readonly owner: { readonly token: string; readonly org_id: string }
  readonly chat: FakeChat
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** Runs a command of svc as the owner and returns the JSON that it prints. Throws if it fails. */
  readonly svc: <T = { items: { id: string }[] }>(...args: string[]) => Promise<T>
  readonly writeFile: (name: string, text: string) => void
  readonly addColleague: () => Promise<string>
  readonly startWorker: (program: string) => Promise<void>
}

export async function startScene(): Promise<Scene> {
  const stack = new AsyncDisposableStack()
  const chat = stack.use(await startFakeChat())
  const system = stack.use(await startSystem(await outside(stack, chat)))
  const owner = await system.member('owner')
  const root = mkdtempSync(join(tmpdir(), 'svc-guides-'))
  stack.defer(() => rmSync(root, { recursive: true, force: true }))
  const folder = makeFolder(root)
  const env = {
    SVC_API_URL: system.url,
    SVC_API_KEY: owner.token,
    SVC_CONFIG_DIR: join(root, 'config'),
    HOME: join(root, 'home'),
    PATH: `${join(root, 'bin')}:${process.env.PATH}`,
  }
  const svc = async <T>(...args: string[]) => {
    const { exit, stdout, stderr } = await runSvc([...args, '-o', 'json'], { env, folder })
    if (exit !== 0) throw new Error(`svc ${args.join(' ')}: ${stderr}`)
    return JSON.parse(stdout === '' ? 'null' : stdout) as T
  }
  const addColleague = async () => {
    const input = { org_id: owner.org_id, email: COLLEAGUE, role: 'member', name: 'first' } as const
    return (await system.operator.call(adminCreateToken, input)).token
  }
  return {
    system,
    owner,
    chat,
    folder,
    env,
    svc,
    addColleague,
    writeFile: (name, text) => writeFileSync(join(folder, name), text),
    startWorker: async (program) => {
      const worker = await spawnWorker(join(root, 'worker'), program, system.url, owner.token)
      stack.defer(() => end(worker))
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Services that the guides name, on loopback: a webhook receiver, an identity provider and two model providers. */
async function outside(stack: AsyncDisposableStack, chat: FakeChat) {
  const peer = stack.use(await startPeer())
  const idp = stack.use(await startFakeIdp())
  const resolve = fakeResolve({ 'hooks.example.com': [[PUBLIC_IP]] })
  return {
    env: {
      SVC_ALLOW_PROCESS_DEPLOYS: 'true',
      SVC_AI_PROVIDERS: JSON.stringify([
        chat.provider('acme'),
        chat.provider('anthropic', 'anthropic', [{ name: 'claude-sonnet-4-5' }]),
      ]),
      SVC_COMPANY_SIGN_ON: 'true',
      SVC_OIDC_ISSUER: GENERIC_ISSUER,
      SVC_OIDC_CLIENT_ID: idp.credentials.clientId,
      SVC_OIDC_CLIENT_SECRET: idp.credentials.clientSecret,
      SVC_REDIRECT_BASE_URL: 'https://svc.test',
    },
    outgoing: idp.outgoing,
    safeFetch: createSafeFetch({ resolve, connect: fakeConnect({ [PUBLIC_IP]: peer }) }),
    checkAddress: createAddressCheck({ resolve }),
  }
}

/** A folder with the example app, the app of docs/apps.md and the files that commands read. */
function makeFolder(root: string): string {
  for (const name of ['bin', 'home', 'work', 'worker']) mkdirSync(join(root, name))
  writePrograms(join(root, 'bin'))
  const folder = join(root, 'work')
  cpSync(join(ROOT, 'examples', 'hello'), folder, { recursive: true })
  writeFileSync(join(folder, 'server.mjs'), blockOf('docs/apps.md', 'js'))
  writeFileSync(join(folder, 'key.txt'), 'sesame')
  return folder
}

/** The first code block of a guide in this language. */
export function blockOf(page: string, language: string): string {
  const text = readFileSync(join(ROOT, page), 'utf8')
  return new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text)![1]!
}

async function spawnWorker(folder: string, program: string, url: string, token: string): Promise<ChildProcess> {
  await packSdk(join(folder, 'node_modules', '@svc-instance/worker-sdk'))
  symlinkSync(join(ROOT, 'node_modules', 'zod'), join(folder, 'node_modules', 'zod'))
  writeFileSync(join(folder, 'worker.mjs'), program)
  const env = { PATH: process.env.PATH, SVC_API_URL: url, SVC_APP: 'shop', SERVER_API_TOKEN: token }
  return spawn(process.execPath, ['worker.mjs'], { cwd: folder, env, stdio: 'inherit' })
}

async function end(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit')
  worker.kill('SIGTERM')
  await ended
}
