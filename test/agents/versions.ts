import { arch } from 'node:process'

export type Pinned = { package: string; version: string; program: string }

/**
 * The agents and the versions that `npm run test:agents` installs, and where each has its program. Claude Code and
 * OpenCode are installed without their wrapper packages, which need an install script.
 */
export const VERSIONS = {
  'Claude Code': {
    package: `@anthropic-ai/claude-code-linux-${arch}`,
    version: '2.1.326',
    program: 'claude',
  },
  Codex: { package: '@openai/codex', version: '0.169.0', program: 'bin/codex.js' },
  OpenCode: {
    package: `opencode-linux-${arch}`,
    // The registry has no later version for arm64.
    version: arch === 'arm64' ? '1.18.18' : '1.18.34',
    program: 'bin/opencode',
  },
  'Gemini CLI': { package: '@google/gemini-cli', version: '0.61.0', program: 'bundle/gemini.js' },
  mcporter: { package: 'mcporter', version: '0.12.3', program: 'dist/cli.js' },
  'mcp-remote': { package: 'mcp-remote', version: '0.15.1', program: 'dist/proxy.js' },
} satisfies Record<string, Pinned>

export type AgentName = keyof typeof VERSIONS
