import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { readSettings } from '../src/server/config/config.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

type Compose = { services: Record<string, { environment: Record<string, string>; command?: string[]; user?: string }> }

const compose = parse(read('compose.yaml')) as Compose
const KEY = 'a'.repeat(64)

/** Variables of a shell in the style of Compose: `${NAME}`, `${NAME:-}` and `${NAME:?message}`. */
function interpolate(text: string, env: Record<string, string>): string {
  return text.replace(/\$\{(\w+)(?::([?-])([^}]*))?\}/g, (_, name: string, kind?: string, rest?: string) => {
    if (kind === '?' && env[name] === undefined) throw new Error(`${name}: ${rest}`)
    return env[name] ?? rest ?? ''
  })
}

it('OP-02 the server accepts the environment of the compose file, and the file names each secret that is missing', () => {
  const secrets = ['SVC_DATA_KEY', 'SVC_INTERNAL_SECRET', 'SVC_JWT_SECRET', 'SVC_JWT_SIGNING_KEY', 'SVC_OPERATOR_TOKEN']
  const env = {
    ...Object.fromEntries(secrets.map((name) => [name, KEY])),
    POSTGRES_PASSWORD: KEY,
    SVC_REDIRECT_BASE_URL: 'https://svc.example.com',
  }
  const { environment } = compose.services.svc!
  const inside = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, interpolate(text, values)]))
  const { services, warnings, databaseUrl } = readSettings(inside(env))
  expect([services.length, warnings, databaseUrl]).toEqual([5, [], `postgres://svc:${KEY}@postgres:5432/svc`])
  for (const name of Object.keys(env)) {
    expect(() => inside({ ...env, [name]: undefined! }), name).toThrow(`${name}: `)
  }
})

it('OP-02 the compose file prepares Postgres with the statements of the guide', () => {
  const [, guide = ''] = /```sql\n(create role svc[\s\S]*?)```/.exec(read('docs/running.md')) ?? []
  const [, script = ''] = /<<'SQL'\n([\s\S]*)SQL\n$/.exec(read('compose/prepare-postgres.sh')) ?? []
  expect(script.trim()).toBe(guide.trim().replace("password 'change-me'", "password :'password'"))
})

it('OP-02 Redis of the compose file evicts nothing', () => {
  expect(compose.services.redis!.command).toEqual(expect.arrayContaining(['--maxmemory-policy', 'noeviction']))
})

it('OP-02 the build of the image has every file that the scripts of the build name', () => {
  const scripts = globSync('scripts/*.ts', { cwd: ROOT }).map(read).join('\n')
  const named = [...scripts.matchAll(/\b(?:join\(root, |read\()((?:'[^']+'(?:, )?)+)\)/g)].map(([, parts]) =>
    parts!.replaceAll("'", '').replaceAll(', ', '/'),
  )
  const allowed = read('.dockerignore')
    .matchAll(/^!(.+)$/gm)
    .map(([, path]) => path!)
    .toArray()
  const generatedFolders = /^(?:dist|node_modules)(?:\/|$)/
  const missing = named.filter(
    (path) =>
      !generatedFolders.test(path) &&
      existsSync(join(ROOT, path)) &&
      !allowed.some((entry) => path === entry || path.startsWith(`${entry}/`)),
  )
  expect(named).toContain('docs/cli.md')
  expect(allowed).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'SECURITY.md', 'docs']))
  expect(missing).toEqual([])
})

it('OP-02 the image runs as the user of the chart and of the compose file, and is built of listed files only', () => {
  const image = read('Containerfile')
  expect(image).toContain('\nUSER 65532:65532\n')
  expect(image).toContain('\nENTRYPOINT ["node"]\n')
  expect(image).toContain('SVC_ALLOW_PROCESS_DEPLOYS=false')
  expect(compose.services.svc!.user).toBe('65532:65532')
  const [first, ...rest] = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  expect(first).toBe('*')
  expect(rest.filter((line) => line.startsWith('!')).join(' ')).not.toMatch(/\.svc|\.env|\.git|node_modules|test/)
})
