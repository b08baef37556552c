import { dashboardFiles } from './dashboards/dashboard-files.ts';
import { ruleFiles } from './rules/rule-files.ts';

/** Returns every generated file, by its path in the chart. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return { ...inFolder('rules', ruleFiles()), ...inFolder('dashboards', dashboardFiles()) };
}

function inFolder(folder: string, files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));
}
