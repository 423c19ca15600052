import {
  arrowsOf,
  casts,
  cyclesOf,
  filesBelow,
  functionsOf,
  nonNullAssertions,
  readSource,
  type SourceFile,
  unimported,
} from './structure.ts';

/** Prints what can be counted of the structure of `src/`: `npm run structure`. */
const sources = filesBelow('src').map(readSource);
const code = sources.filter(({ file }) => !file.endsWith('.test.ts'));
const others = ['test', 'bench', 'examples', 'samples'].flatMap(filesBelow).map(readSource);
const imports = code.flatMap((one) => one.imports);
const values = imports.filter((one) => !one.typesOnly);

const lines = (text: string): number => text.split('\n').length - 1;
const sum = (files: readonly SourceFile[], count: (text: string) => number): number =>
  files.reduce((total, { text }) => total + count(text), 0);
const folderOf = (file: string): string => file.split('/').slice(0, -1).join('/');
const roomOf = (file: string): string => file.split('/').slice(1, 2).join('').replace(/\.ts$/, '');

function largest(what: ReadonlyArray<readonly [string, number]>): string {
  const sorted = [...what].sort((a, b) => b[1] - a[1]);
  return `median ${sorted[sorted.length >> 1]![1]}, largest ${sorted[0]![1]} (${sorted[0]![0]})`;
}

const rooms = Map.groupBy(code, ({ file }) => roomOf(file));
console.log(`lines of code in src/: ${sum(code, lines)} in ${code.length} files`);
for (const [room, files] of rooms) console.log(`  ${room}: ${sum(files, lines)} in ${files.length} files`);
console.log(
  `lines in test/: ${sum(
    others.filter(({ file }) => file.startsWith('test/')),
    lines,
  )}`,
);
console.log(`files: ${largest(code.map(({ file, text }) => [file, lines(text)]))}`);
const functions = code.flatMap(({ file, text }) =>
  functionsOf(text).map(({ name, lines }): [string, number] => [`${file}: ${name}`, lines]),
);
console.log(`functions: ${largest(functions)}`);
const byFolder = arrowsOf(imports, folderOf);
const byRoom = arrowsOf(imports, roomOf);
console.log(`folders: ${new Set(code.map(({ file }) => folderOf(file))).size}`);
console.log(`imports: ${imports.length}`);
console.log(`arrows between folders: ${[...byFolder.values()].reduce((all, one) => all + one.size, 0)}`);
for (const [what, arrows] of [
  ['folders of src/', byRoom],
  ['folders', byFolder],
  ['files, by value', arrowsOf(values)],
  ['files', arrowsOf(imports)],
] as const) {
  const cycles = cyclesOf(arrows);
  console.log(`cycles between ${what}: ${cycles.length}`);
  for (const cycle of cycles.slice(0, 12)) console.log(`  ${cycle.length}: ${cycle.slice(0, 12).join(', ')}`);
}
console.log(`non-null assertions: ${sum(code, nonNullAssertions)}; casts: ${sum(code, casts)}`);
const idle = unimported(code, [...sources, ...others]);
console.log(`exports without an importer: ${idle.length}`);
for (const one of idle) console.log(`  ${one}`);
