import { execFile, execFileSync } from 'node:child_process'
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { filesOfSkill, SKILL_NAMES } from '#contract/skills.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { loadBundle, readSkills } from './bundle.ts'
import { changedSince, digestsOfRelease, filePlace, type Releases, recordRelease, wasReleased } from './released.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const SKILLS = join(ROOT, 'skills')
const run = promisify(execFile)
const digestsOf = async (folder: string) => digestsOfRelease(await readSkills(folder, SKILL_NAMES))

describe('the table of released skills', () => {
  it('SK-02 has this version as it is: changed text needs a new version, see CONTRIBUTING.md', async () => {
    const { releases } = await loadBundle()
    expect(changedSince(releases, packageJson.version, await digestsOf(SKILLS))).toEqual([])
  })

  it('SK-02 begins with 0.1.0', async () => {
    expect(Object.keys((await loadBundle()).releases)[0]).toBe('0.1.0')
  })

  it('SK-02 knows 21 files of each version, and a block for each skill that is installed and each scope', async () => {
    const { releases } = await loadBundle()
    for (const [version, digests] of Object.entries(releases)) {
      expect(Object.keys(digests), version).toHaveLength(25)
      for (const digest of Object.values(digests)) expect(digest).toMatch(/^[0-9a-f]{64}$/)
    }
  })

  it('SK-02 knows a file whatever its line endings, and only in its place', async () => {
    const [skill] = await readSkills(SKILLS, ['svc'])
    const { path, text } = skill!.files[0]!
    const releases = { '0.1.0': digestsOfRelease([skill!]) }
    expect(wasReleased(releases, filePlace('svc', path), text.replaceAll('\n', '\r\n'))).toBe(true)
    expect(wasReleased(releases, filePlace('svc', path), `${text} `)).toBe(false)
    expect(wasReleased(releases, filePlace('svc', 'references/databases.md'), text)).toBe(false)
  })
})

describe('a recorded version', () => {
  const digests = { 'svc/SKILL.md': 'a', 'svc/references/x.md': 'b' }

  it('SK-02 is added once and stays as it is when it is recorded again', () => {
    const first = recordRelease({}, '1.0.0', digests)
    expect(first).toEqual({ '1.0.0': digests })
    expect(recordRelease(first, '1.0.0', digests)).toEqual(first)
    expect(Object.keys(recordRelease(first, '1.1.0', { ...digests, 'svc/SKILL.md': 'c' }))).toEqual(['1.0.0', '1.1.0'])
  })

  it.each([
    ['a changed file', { ...digests, 'svc/SKILL.md': 'c' }, 'svc/SKILL.md'],
    ['a file more', { ...digests, 'svc/more.md': 'c' }, 'svc/more.md'],
    ['a file less', { 'svc/SKILL.md': 'a' }, 'svc/references/x.md'],
  ])('SK-02 is not overwritten with %s', (_, other, place) => {
    const record = () => recordRelease({ '1.0.0': digests }, '1.0.0', other)
    expect(record).toThrow(`Version 1.0.0 is recorded with other text in: ${place}. A recorded version cannot change.`)
  })
})

describe('scripts/record-skills.ts', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-record-'))
    await cp(SKILLS, folder, { recursive: true })
  })
  afterEach(() => rm(folder, { recursive: true }))

  const record = () => run(process.execPath, [join(ROOT, 'scripts', 'record-skills.ts'), folder])
  const table = async () => JSON.parse(await readFile(join(folder, 'releases.json'), 'utf8')) as Releases

  it('SK-02 records this version', async () => {
    await writeFile(join(folder, 'releases.json'), '{}\n')
    expect((await record()).stdout).toBe(`recorded ${packageJson.version}\n`)
    expect(await table()).toEqual({ [packageJson.version]: await digestsOf(folder) })
    expect((await record()).stdout).toBe(`${packageJson.version} was recorded already and is unchanged\n`)
  })

  it('SK-02 refuses to overwrite it, says which file changed, and leaves the table alone', async () => {
    await record()
    const before = await table()
    await appendFile(join(folder, 'svc-faq', 'SKILL.md'), 'One more line.\n')
    await expect(record()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `Version ${packageJson.version} is recorded with other text in: svc-faq/SKILL.md.`,
      ),
    })
    expect(await table()).toEqual(before)
  })

  it('SK-02 refuses where a skill says another version', async () => {
    const entry = join(folder, 'svc', 'SKILL.md')
    const text = await readFile(entry, 'utf8')
    await writeFile(entry, text.replace(`version: "${packageJson.version}"`, 'version: "9.9.9"'))
    await expect(record()).rejects.toMatchObject({
      code: 1,
      stderr: `package.json has version ${packageJson.version}, and skills/svc/SKILL.md another. Set the same version in all of them.\n`,
    })
  })
})

describe('the git tags of releases', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-tags-'))
    git(folder, 'init', '-q')
    await cp(SKILLS, join(folder, 'skills'), { recursive: true })
    git(folder, 'add', '.')
    git(folder, 'commit', '-qm', 'first')
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('SK-02 each has skills that the table knows, in this repository', async () => {
    expect(unrecordedAtTags(ROOT, (await loadBundle()).releases)).toEqual([])
  })

  it('SK-02 one whose skills were not recorded is found', async () => {
    git(folder, 'tag', 'v1.2.3')
    const digests = await digestsOf(SKILLS)
    expect(unrecordedAtTags(folder, { '1.2.3': digests })).toEqual([])
    expect(unrecordedAtTags(folder, { '1.2.4': digests })).toHaveLength(21)
    expect(unrecordedAtTags(folder, { '1.2.3': { ...digests, 'svc/SKILL.md': 'other' } })).toEqual([
      'v1.2.3 svc/SKILL.md',
    ])
  })
})

function git(folder: string, ...args: string[]): string {
  const settings = ['user.name=test', 'user.email=test@example.com', 'commit.gpgsign=false', 'core.hooksPath=/dev/null']
  return execFileSync('git', ['-C', folder, ...settings.flatMap((each) => ['-c', each]), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

/** Files of tagged releases that the table does not have under the version of their tag. */
function unrecordedAtTags(folder: string, releases: Releases): string[] {
  const tags = git(folder, 'tag', '--list', 'v*').split('\n').filter(Boolean)
  return tags.flatMap((tag) => {
    const recorded = releases[tag.slice(1)] ?? {}
    const files = SKILL_NAMES.flatMap((id) => filesOfSkill(id).map((path) => ({ id, path })))
    const isThere = new Set(git(folder, 'ls-tree', '-r', '--name-only', tag, 'skills').split('\n'))
    return files
      .filter(({ id, path }) => isThere.has(`skills/${id}/${path}`))
      .filter(({ id, path }) => {
        const text = git(folder, 'show', `${tag}:skills/${id}/${path}`)
        return !wasReleased({ [tag]: recorded }, filePlace(id, path), text)
      })
      .map(({ id, path }) => `${tag} ${id}/${path}`)
  })
}
