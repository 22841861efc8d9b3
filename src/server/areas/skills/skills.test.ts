import { createHash } from 'node:crypto'
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { filesOfSkill, SKILL_NAMES, SkillIndex } from '#contract/skills.ts'
import { type System, startSystem } from '#test/system.ts'
import { entriesOf } from '#test/tar-entries.ts'
import packageJson from '../../../../package.json' with { type: 'json' }
import { makePublication } from './publication.ts'
import { commitOf } from './source.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const PATH = '/.well-known/agent-skills'

describe('the published skills', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem()
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const get = (path: string, init?: RequestInit) => fetch(`${system.url}${PATH}/${path}`, init)
  const bytesOf = async (path: string) => Buffer.from(await (await get(path)).arrayBuffer())
  const index = async () => SkillIndex.strict().parse(await (await get('index.json')).json())

  it('SK-04 the index lists three skills with every field of draft 0.2.0, and where they come from', async () => {
    const { $schema, skills, _source } = await index()
    expect($schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json')
    expect(skills.map(({ name, type, url }) => [name, type, url])).toEqual([
      ['svc', 'archive', '/.well-known/agent-skills/svc.tar.gz'],
      ['svc-ai-gateway', 'archive', '/.well-known/agent-skills/svc-ai-gateway.tar.gz'],
      ['svc-faq', 'skill-md', '/.well-known/agent-skills/svc-faq/SKILL.md'],
    ])
    for (const { name, description, digest } of skills) {
      expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
      expect(description.length).toBeGreaterThan(50)
      expect(description.length).toBeLessThanOrEqual(1024)
      expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/)
    }
    // Fails when the version of package.json is not recorded, or when a skill changed since: CONTRIBUTING.md, "Releasing".
    expect(_source).toEqual({ ref: `v${packageJson.version}`, commit: await commitOf(ROOT) })
  })

  it('SK-05 each digest is that of the bytes at its url', async () => {
    for (const { url, digest } of (await index()).skills) {
      const bytes = Buffer.from(await (await fetch(new URL(url, `${system.url}${PATH}/index.json`))).arrayBuffer())
      expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(digest)
    }
  })

  it('SK-04 an archive holds SKILL.md and nine references at its root, plainly named and without a time', async () => {
    const entries = await entriesOf(await bytesOf('svc.tar.gz'))
    expect(entries.map(({ name }) => name)).toEqual((await index()).skills[0]!.files)
    expect(entries).toHaveLength(10)
    expect(entries[0]!.name).toBe('SKILL.md')
    for (const { name, type, mode, uid, gid, mtime, bytes } of entries) {
      expect(name).toMatch(/^(?:SKILL|references\/[a-z-]+)\.md$/)
      expect({ type, mode, uid, gid, mtime }).toEqual({ type: 'file', mode: 0o644, uid: 0, gid: 0, mtime: 0 })
      expect(bytes.equals(await readFile(join(ROOT, 'skills', 'svc', name)))).toBe(true)
    }
  })

  it('SK-04 every file the index names is served by itself, with the same bytes as in the sources', async () => {
    for (const { name, files } of (await index()).skills) {
      for (const file of files) {
        const response = await get(`${name}/${file}`)
        expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
        const source = await readFile(join(ROOT, 'skills', name, file))
        expect(Buffer.from(await response.arrayBuffer()).equals(source)).toBe(true)
      }
    }
  })

  it.each([
    ['index.json', 'application/json'],
    ['svc.tar.gz', 'application/gzip'],
    ['svc-ai-gateway.tar.gz', 'application/gzip'],
    ['svc/SKILL.md', 'text/markdown; charset=utf-8'],
  ])('SK-04 %s: media type, caching, CORS, length and HEAD; never compressed anew', async (path, type) => {
    const response = await get(path, { headers: { 'accept-encoding': 'gzip, br' } })
    const bytes = Buffer.from(await response.arrayBuffer())
    const expected = {
      'content-type': type,
      'content-encoding': undefined,
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=300, no-transform',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
    }
    expect(pick(response.headers, expected)).toEqual(expected)
    const head = await rawRequest(`${system.url}${PATH}/${path}`, 'HEAD')
    expect([head.status, head.body.length]).toEqual([200, 0])
    expect(pick(new Headers(head.headers as Record<string, string>), expected)).toEqual(expected)
  })

  it('SK-04 what the caller has already is 304, whether it says so alone, weakly, in a list or with *', async () => {
    const etag = (await get('svc.tar.gz')).headers.get('etag')!
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await get('svc.tar.gz', { headers: { 'if-none-match': tag } })
      expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', etag])
    }
    expect((await get('svc.tar.gz', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it.each([
    'none.tar.gz',
    'svc-faq.tar.gz',
    'svc.zip',
    'svc',
    'releases.json',
    'none/SKILL.md',
    'svc/references/none.md',
    'svc/references/SKILL.md',
    'svc/other.md',
    'svc/references%2fdatabases.md',
    '..%2fpackage.json',
    'svc/references/..%2fSKILL.md',
    'svc/references/..%2f..%2fsvc-faq%2fSKILL.md',
  ])('SK-04 %s is 404', async (path) => {
    const response = await get(path)
    expect(response.status).toBe(404)
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('SK-04 only GET and HEAD are taken', async () => {
    const response = await get('index.json', { method: 'POST' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

describe('what is published', () => {
  it('SK-05 is the same to the byte each time it is made', async () => {
    const source = { version: '9.9.9', commit: 'f'.repeat(40) }
    const [one, two] = await Promise.all([0, 1].map(() => makePublication(join(ROOT, 'skills'), source)))
    expect([...one!.keys()]).toEqual([...two!.keys()])
    for (const [path, bytes] of one!) expect(bytes.equals(two!.get(path)!), path).toBe(true)
    const archive = one!.get('svc.tar.gz')!
    // RFC 1952: no time, no name, no operating system.
    expect([...archive.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255])
  })
})

describe('the release that the index names', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-skills-'))
    await cp(join(ROOT, 'skills'), folder, { recursive: true })
    await writeFile(join(folder, 'releases.json'), JSON.stringify({ '1.2.3': await digests() }))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const FILES = SKILL_NAMES.flatMap((name) => filesOfSkill(name).map((file) => `${name}/${file}`))
  const digests = async () => {
    const pairs = FILES.map(async (file) => [file, sha256(await readFile(join(folder, file)))])
    return Object.fromEntries(await Promise.all(pairs)) as Record<string, string>
  }
  const refOf = async (version: string) => {
    const publication = await makePublication(folder, { version, commit: null })
    return SkillIndex.parse(JSON.parse(publication.get('index.json')!.toString()))._source.ref
  }

  it('SK-05 is the tag of the version where all files are those recorded for it', async () => {
    expect(await refOf('1.2.3')).toBe('v1.2.3')
  })

  it.each(FILES)('SK-05 is `unreleased` where %s was changed', async (file) => {
    await appendFile(join(folder, file), 'One more line.\n')
    expect(await refOf('1.2.3')).toBe('unreleased')
  })

  it('SK-05 is `unreleased` for a version that is not recorded, or of which a file is not', async () => {
    expect(await refOf('1.2.4')).toBe('unreleased')
    const { 'svc-faq/SKILL.md': _, ...others } = await digests()
    await writeFile(join(folder, 'releases.json'), JSON.stringify({ '1.2.3': others }))
    expect(await refOf('1.2.3')).toBe('unreleased')
  })
})

function pick(headers: Headers, like: object): Record<string, string | undefined> {
  return Object.fromEntries(Object.keys(like).map((name) => [name, headers.get(name) ?? undefined]))
}

/** As it stands on the wire: `fetch` hides what a HEAD carries. */
function rawRequest(url: string, method: string) {
  return new Promise<{ status: number; headers: object; body: Buffer }>((resolve, reject) => {
    const sent = request(url, { method, headers: { 'accept-encoding': 'gzip' } }, (response) => {
      buffer(response).then(
        (body) => resolve({ status: response.statusCode!, headers: response.headers, body }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
