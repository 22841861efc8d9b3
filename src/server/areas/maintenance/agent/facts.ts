import type { z } from 'zod'
import type { Frame } from '../detect/frames.ts'
import type { AGENT_TOOLS, AgentTool } from './tool-table.ts'

/** The parts of one answer of a tool that a finding can cite. */
export type Fact = {
  /** By the template of log lines, the frames of their stack traces. */
  readonly templates: ReadonlyMap<string, readonly Frame[]>
  /** Templates of lines that only revisions wrote that are not live. */
  readonly formerTemplates: ReadonlySet<string>
  /** By path, the text of a file that was shown. */
  readonly texts: ReadonlyMap<string, string>
  readonly failingChecks: ReadonlySet<string>
}

const NOTHING: Fact = { templates: new Map(), formerTemplates: new Set(), texts: new Map(), failingChecks: new Set() }

type AnswerOf<T extends AgentTool> = z.output<(typeof AGENT_TOOLS)[T]['output']>
export type ToolAnswer = { [T in AgentTool]: { readonly tool: T; readonly answer: AnswerOf<T> } }[AgentTool]

export function factOf({ tool, answer }: ToolAnswer): Fact {
  switch (tool) {
    case 'log_templates':
      return { ...NOTHING, ...templatesOf(answer.clusters) }
    case 'search_logs':
      return { ...NOTHING, ...templatesOf(answer.lines) }
    case 'read_file':
      return { ...NOTHING, texts: new Map([[answer.path, answer.text]]) }
    case 'search_source':
      return { ...NOTHING, texts: textsByPath(answer.matches) }
    case 'check_states':
      return { ...NOTHING, failingChecks: new Set(answer.checks.filter(isFailing).map(({ name }) => name)) }
    case 'check_history':
      return { ...NOTHING, failingChecks: new Set(isFailing(answer) ? [answer.name] : []) }
    case 'list_files':
    case 'recent_findings':
    case 'stage_edit':
      return NOTHING
    default:
      return tool satisfies never
  }
}

type Templated = { template: string; frames: Frame[]; former_revision_id?: string | undefined }

function templatesOf(items: readonly Templated[]): Pick<Fact, 'templates' | 'formerTemplates'> {
  const templates = framesByTemplate(items.filter((item) => item.former_revision_id === undefined))
  const former = items.filter(({ template }) => !templates.has(template))
  return { templates, formerTemplates: new Set(former.map(({ template }) => template)) }
}

function framesByTemplate(items: readonly { template: string; frames: Frame[] }[]): Map<string, Frame[]> {
  const byTemplate = new Map<string, Frame[]>()
  for (const { template, frames } of items) byTemplate.set(template, [...(byTemplate.get(template) ?? []), ...frames])
  return byTemplate
}

function textsByPath(matches: readonly { path: string; text: string }[]): Map<string, string> {
  const byPath = new Map<string, string>()
  for (const { path, text } of matches) byPath.set(path, `${byPath.get(path) ?? ''}${text}\n`)
  return byPath
}

function isFailing({ state }: { state: string }): boolean {
  return state === 'fail' || state === 'failing'
}

export function joinFacts(facts: readonly Fact[]): Fact {
  return {
    templates: new Map(facts.flatMap(({ templates }) => [...templates])),
    formerTemplates: new Set(facts.flatMap(({ formerTemplates }) => [...formerTemplates])),
    texts: new Map(facts.flatMap(({ texts }) => [...texts])),
    failingChecks: new Set(facts.flatMap(({ failingChecks }) => [...failingChecks])),
  }
}
