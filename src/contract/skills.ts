import { z } from 'zod'
import { rawGet } from './core/methods.ts'
import { operation } from './core/operation.ts'

type SkillRow = { readonly type: 'archive' | 'skill-md'; readonly installable: boolean; readonly references: string[] }

/** The skills of this version and the files of each. */
export const SKILLS = {
  svc: {
    type: 'archive',
    installable: true,
    references: [
      'apps-and-maintenance',
      'connect-by-mcp',
      'data-sources-ask',
      'data-sources-configure',
      'databases',
      'errors-and-exit-codes',
      'functions-and-pipelines',
      'login-and-contexts',
      'notifications',
    ],
  },
  'svc-ai-gateway': {
    type: 'archive',
    installable: true,
    references: [
      'authenticate',
      'chat',
      'embeddings',
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

/** Returns the paths of all files of a skill, in byte order. */
export function filesOfSkill(name: SkillName): string[] {
  return ['SKILL.md', ...SKILLS[name].references.map((reference) => `references/${reference}.md`)]
}

const FRONTMATTER = /^---\n([\s\S]*?)\n---\n/

/** Reads the description from the frontmatter of a SKILL.md, where it is one line, plain or in double quotes. */
export function descriptionOfSkill(entry: string): string {
  const line = /^description: (.+)$/m.exec(FRONTMATTER.exec(entry)?.[1] ?? '')?.[1]
  if (line === undefined) throw new Error('SKILL.md has no description')
  return line.startsWith('"') ? (JSON.parse(line) as string) : line
}

export function bodyOfSkill(entry: string): string {
  return entry.replace(FRONTMATTER, '').trimStart()
}

/** Schema URL of https://github.com/cloudflare/agent-skills-discovery-rfc. Clients compare it letter by letter. */
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
      digest: z.string().describe('`sha256:` and the lower-case hex digest of the bytes at `url`'),
      files: z.array(z.string()).describe('Each file is also served at `<name>/<file>` beside the index'),
    }),
  ),
  _source: z.object({
    ref: z.string().describe('The tag of the release, or `unreleased`'),
    commit: z.string().nullable().describe('Null if the files belong to no commit'),
  }),
})
export type SkillIndex = z.infer<typeof SkillIndex>

const published = { ...rawGet, access: 'public' } as const
const name = z.string().max(64)
const file = z.string().max(100)

export const skillIndex = operation({
  ...published,
  name: 'skills.index',
  path: `${SKILLS_PATH}/index.json`,
  summary: 'List the agent skills of this version (discovery draft 0.2.0)',
  produces: ['application/json'],
})

export const skillArchive = operation({
  ...published,
  name: 'skills.archive',
  path: `${SKILLS_PATH}/{archive}`,
  summary: 'Download a skill as `<name>.tar.gz`',
  input: z.object({ archive: z.string().max(71) }),
  produces: ['application/gzip'],
})

export const skillEntry = operation({
  ...published,
  name: 'skills.entry',
  path: `${SKILLS_PATH}/{name}/{file}`,
  summary: 'Get the entry file of a skill, `SKILL.md`',
  input: z.object({ name, file }),
  produces: ['text/markdown'],
})

export const skillReference = operation({
  ...published,
  name: 'skills.reference',
  path: `${SKILLS_PATH}/{name}/references/{file}`,
  summary: 'Get a reference file of a skill',
  input: z.object({ name, file }),
  produces: ['text/markdown'],
})
