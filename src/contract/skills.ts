import { z } from 'zod'
import { NO_BODY } from './core/limits.ts'
import { operation } from './core/operation.ts'

type SkillRow = { readonly type: 'archive' | 'skill-md'; readonly installable: boolean; readonly references: string[] }

/** The skills that travel with this version, and every file of each. */
export const SKILLS = {
  svc: {
    type: 'archive',
    installable: true,
    references: [
      'connect-by-mcp',
      'data-sources-ask',
      'data-sources-configure',
      'databases',
      'errors-and-exit-codes',
      'login-and-contexts',
      'notifications',
      'output-formats',
      'tokens-and-roles',
    ],
  },
  'svc-ai-gateway': {
    type: 'archive',
    installable: true,
    references: [
      'authenticate',
      'embeddings-request',
      'embeddings-response',
      'errors',
      'fill-a-vector-column',
      'limits-and-usage',
      'models',
      'openai-clients',
      'providers',
    ],
  },
  'svc-faq': { type: 'skill-md', installable: false, references: [] },
} as const satisfies Record<string, SkillRow>

export type SkillName = keyof typeof SKILLS
export const SKILL_NAMES = Object.keys(SKILLS) as SkillName[]
export const INSTALLABLE_SKILLS = SKILL_NAMES.filter((name) => SKILLS[name].installable)

/** Paths inside a skill, in the order of their bytes. */
export function filesOfSkill(name: SkillName): string[] {
  return ['SKILL.md', ...SKILLS[name].references.map((reference) => `references/${reference}.md`)]
}

const FRONTMATTER = /^---\n([\s\S]*?)\n---\n/

/** From the frontmatter of a SKILL.md, where it stands on one line, plain or in double quotes. */
export function descriptionOfSkill(entry: string): string {
  const line = /^description: (.+)$/m.exec(FRONTMATTER.exec(entry)?.[1] ?? '')?.[1]
  if (line === undefined) throw new Error('a SKILL.md without a description')
  return line.startsWith('"') ? (JSON.parse(line) as string) : line
}

export function bodyOfSkill(entry: string): string {
  return entry.replace(FRONTMATTER, '').trimStart()
}

/** https://github.com/cloudflare/agent-skills-discovery-rfc: clients compare it as it stands. */
export const DISCOVERY_SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'
export const SKILLS_PATH = '/.well-known/agent-skills'

export const SkillIndex = z.object({
  $schema: z.literal(DISCOVERY_SCHEMA),
  skills: z.array(
    z.object({
      name: z.string(),
      type: z.enum(['archive', 'skill-md']),
      description: z.string(),
      url: z.string(),
      digest: z.string().describe('`sha256:` and the digest of the bytes at `url`, in lower-case hex'),
      files: z.array(z.string()).describe('Each is served by itself at `<name>/<file>` beside the index'),
    }),
  ),
  _source: z.object({
    ref: z.string().describe('The tag of the release, or `unreleased`'),
    commit: z.string().nullable().describe('Null where the files are those of no commit'),
  }),
})
export type SkillIndex = z.infer<typeof SkillIndex>

const published = { kind: 'raw', method: 'GET', access: 'public', effect: 'read', bodyLimit: NO_BODY } as const
const name = z.string().max(64)
const file = z.string().max(100)

export const skillIndex = operation({
  ...published,
  name: 'skills.index',
  path: `${SKILLS_PATH}/index.json`,
  summary: 'The agent skills of this version, by the discovery draft 0.2.0',
  input: z.object({}),
  produces: ['application/json'],
})

export const skillArchive = operation({
  ...published,
  name: 'skills.archive',
  path: `${SKILLS_PATH}/{archive}`,
  summary: 'All files of a skill, as `<name>.tar.gz`',
  input: z.object({ archive: z.string().max(71) }),
  produces: ['application/gzip'],
})

export const skillEntry = operation({
  ...published,
  name: 'skills.entry',
  path: `${SKILLS_PATH}/{name}/{file}`,
  summary: 'The file a skill begins with, `SKILL.md`',
  input: z.object({ name, file }),
  produces: ['text/markdown'],
})

export const skillReference = operation({
  ...published,
  name: 'skills.reference',
  path: `${SKILLS_PATH}/{name}/references/{file}`,
  summary: 'A reference of a skill',
  input: z.object({ name, file }),
  produces: ['text/markdown'],
})
