export { toYaml } from '#contract/core/yaml.ts'
