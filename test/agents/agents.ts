import { knownAgents } from '../../src/console/pages/mcp/agents/known-agents.ts'
import { QUESTION } from './model/reply.ts'
import type { AgentName } from './versions.ts'

/** One step in the agent's work folder: a command as a person types it in a terminal, or a file. */
type Step =
  | { run: string; answers?: readonly { to: RegExp; with: string }[]; exit?: number }
  | { file: string; content: string; inHome?: true }

export type Agent = {
  /** Chooses the scripted model, by the variables and files that the agent documents. */
  model: (url: string) => { env?: Record<string, string>; files?: readonly Step[] }
  /** The steps of the guide: by OAuth, and with the API token in the variable SVC_TOKEN. */
  oauth: (url: string) => readonly Step[]
  bearer: (url: string) => readonly Step[]
  /** Prints `pattern` if the agent is connected. */
  status: { run: string; pattern: RegExp }
  ask: string
  /** Whether `ask` calls the tool without a model. */
  callsItself?: true
}

/** The agents that are commands of their own, as the guide connects them. */
export type CommandAgent = Exclude<AgentName, 'mcp-remote'>

export const AGENTS: Record<CommandAgent, Agent> = {
  'Claude Code': {
    model: (url) => ({ env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'scripted' } }),
    oauth: (url) => commandsOf('Claude Code', url),
    bearer: (url) => [
      { run: `claude mcp add --transport http svc ${url} --header "Authorization: Bearer $SVC_TOKEN"` },
    ],
    status: { run: 'claude mcp list', pattern: /Connected/ },
    ask: `claude -p "${QUESTION.query}" --allowedTools mcp__svc__data_source_query`,
  },
  Codex: {
    model: (url) => ({ env: { SCRIPTED_KEY: 'scripted' }, files: [codexModel(url)] }),
    oauth: (url) => commandsOf('Codex', url),
    bearer: (url) => [{ run: `codex mcp add svc --url ${url} --bearer-token-env-var SVC_TOKEN` }],
    status: { run: 'codex mcp list', pattern: /OAuth|Bearer token/ },
    ask: `codex exec --skip-git-repo-check "${QUESTION.query}"`,
  },
  OpenCode: {
    model: (url) => ({ files: [openCodeModel(url)] }),
    oauth: (url) => {
      const [file = '', ...commands] = linesOf('OpenCode', url)
      return [{ file: 'opencode.json', content: file }, ...commands.map((run) => ({ run }))]
    },
    bearer: (url) => [{ file: 'opencode.json', content: openCodeBearer(url) }],
    status: { run: 'opencode mcp list', pattern: /svc\S*\s\S*connected/ },
    ask: `opencode run "${QUESTION.query}"`,
  },
  'Gemini CLI': {
    model: (url) => ({
      env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'scripted', GEMINI_CLI_TRUST_WORKSPACE: 'true' },
      files: [
        {
          file: '.gemini/settings.json',
          content: '{ "security": { "auth": { "selectedType": "gemini-api-key" } } }',
          inHome: true,
        },
      ],
    }),
    oauth: (url) =>
      linesOf('Gemini CLI', url).map((line) => (line.startsWith('/') ? geminiCommand(line) : { run: line })),
    bearer: (url) => [
      { run: `gemini mcp add --transport http svc ${url} --header "Authorization: Bearer $SVC_TOKEN"` },
    ],
    status: { run: 'gemini mcp list', pattern: /Connected/ },
    // A named model, because otherwise the agent asks a model to choose one.
    ask: `gemini -m gemini-2.5-flash --approval-mode yolo -p "${QUESTION.query}"`,
  },
  mcporter: {
    model: () => ({}),
    oauth: (url) => commandsOf('mcporter', url),
    bearer: (url) => [
      { run: `mcporter config add svc ${url} --header "Authorization=Bearer $SVC_TOKEN" --scope home` },
    ],
    status: { run: 'mcporter list', pattern: /1 healthy/ },
    ask: `mcporter call svc.data_source_query id=${QUESTION.id} query="${QUESTION.query}"`,
    callsItself: true,
  },
}

/** The code of the guide and of the console for an agent, line by line. */
function linesOf(name: CommandAgent, url: string): string[] {
  const { steps } = knownAgents(url).find((agent) => agent.name === name)!
  return steps.flatMap((step) => ('code' in step ? step.code.split('\n') : []))
}

function commandsOf(name: CommandAgent, url: string): Step[] {
  return linesOf(name, url).map((run) => ({ run }))
}

/** Outside of a session `/mcp auth` connects too, and then ends with 42, because there is no session to reload. */
function geminiCommand(command: string): Step {
  return { run: `gemini -p "${command}"`, answers: [{ to: /\[Y\/n\]/, with: 'y\r' }], exit: 42 }
}

function codexModel(url: string): Step {
  const content = `model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
`
  return { file: '.codex/config.toml', content, inHome: true }
}

function openCodeModel(url: string): Step {
  const scripted = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: `${url}/v1`, apiKey: 'scripted' },
    models: { scripted: {} },
  }
  const content = JSON.stringify({ provider: { scripted }, model: 'scripted/scripted', autoupdate: false })
  return { file: '.config/opencode/opencode.json', content, inHome: true }
}

function openCodeBearer(url: string): string {
  return `{ "mcp": { "svc": { "type": "remote", "url": "${url}", "headers": { "Authorization": "Bearer {env:SVC_TOKEN}" } } } }`
}
