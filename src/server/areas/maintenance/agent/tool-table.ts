import { z } from 'zod'
import type { JsonOperation } from '#contract/core/operation.ts'
import {
  listCheckStates,
  listLiveFiles,
  listRecentFindings,
  readCheckHistory,
  readLogTemplates,
  readSourceFile,
  searchAppLogs,
  searchSource,
  stageEdit,
} from '#contract/maintenance/tools.ts'
import type { ChatRequest } from '#ports/chat-model.ts'
import { FINISH_TOOL, Finish } from './finish.ts'

/** The tools of a model, by the names it knows them by. They are the operations that only runs may call. */
export const AGENT_TOOLS = {
  log_templates: readLogTemplates,
  search_logs: searchAppLogs,
  list_files: listLiveFiles,
  read_file: readSourceFile,
  search_source: searchSource,
  check_states: listCheckStates,
  check_history: readCheckHistory,
  recent_findings: listRecentFindings,
  stage_edit: stageEdit,
} as const satisfies Record<string, JsonOperation>

export type AgentTool = keyof typeof AGENT_TOOLS

export function isAgentTool(name: string): name is AgentTool {
  return Object.hasOwn(AGENT_TOOLS, name)
}

export function describeTools(): NonNullable<ChatRequest['tools']> {
  const reads = Object.entries(AGENT_TOOLS).map(([name, { summary, input }]) => ({
    name,
    description: summary,
    parameters: schemaOf(input),
  }))
  const finish = { name: FINISH_TOOL, description: 'End the run with your verdict', parameters: schemaOf(Finish) }
  return [...reads, finish]
}

function schemaOf(input: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' })
  return schema
}
