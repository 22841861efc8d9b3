export { toYaml } from '#contract/yaml.ts'
