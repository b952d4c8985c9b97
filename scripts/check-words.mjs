// Fails when a word that has a standard term is used in code, tests or docs. docs/concepts/glossary.md lists the standard terms.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Each banned word with the term to write instead. */
const banned = [
  [
    /\bg[ai]ves? up\b|\bgiv(en|ing) up\b|\bgaveUp\b|GivenUp/i,
    'failed permanently, stops retrying, or retries exhausted',
  ],
  [/\banew\b/i, 'again, or from scratch'],
  [/\bput away\b|\bputs away\b/i, 'saved in a snapshot'],
  [/\bcalled off\b|\bcalls? off\b/i, 'cancelled'],
  [/\bcom(es|e) (to|of)\b/i, 'results in'],
  [/\btold\b|\btells?\b/i, 'reported, shows, notifies'],
  [/\b(goes|go|went|going) on\b/i, 'continues, resumes'],
  [/\bstands\b|\bstood\b/i, 'exists, is, runs'],
  [/\blook(s|ed)? at\b/i, 'checks, examined'],
  [/\ba person\b/i, 'an operator, a user'],
  [/\bknowingly\b/i, 'explicitly'],
  [/\bmend(s|ed|ing)?\b/i, 'repair, or fix'],
  [/\bwords? of (today|now)\b/i, 'current schema'],
  [/\bparked\b/i, 'retries exhausted'],
  [/\bspurned\b/i, 'recently rejected'],
  [/\bunborn\b/i, 'never created'],
  [/\bnobody[- ]serves\b/i, 'no conductor available'],
  [/\bnothing-parked\b|\bnothing-given-up\b/i, 'nothing-to-retry'],
  [/\brevision-?moved\b/i, 'revision-mismatch'],
  [/\bblueprint\b/i, 'attribute resolution'],
  [/\b(Plan|Health|Task|Template)Desk\b/, 'DryRunHandler, HealthReports, TaskBoard'],
  [
    /\b(RoomKeeper|FoldedStates|CurrentEvents|ClaimNotes|WorkPlace|ShownWith|SHOWN_BELOW|shownBelow)\b/,
    'the names of the glossary',
  ],
  [/\boperationLetter\b/, 'operationIdPrefix'],
  [
    /\b(NodeTurnRequested|NodeTurnsAccepted|NodesGone|ClusterContainersGone)\b/,
    'the event names of docs/reference/events.md',
  ],
  [/\b[Jj]udg(e[sd]?|ing)\b/, 'classify, verdict'],
];

/** Files that list the banned words or contain foreign text. */
const exempt = new Set(['scripts/check-words.mjs', 'docs/concepts/glossary.md', 'package-lock.json', 'LICENSE']);
const kinds = /\.(ts|mjs|js|md|sh|ya?ml|json)$|(^|\/)(Dockerfile|run)$/;

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter(file => kinds.test(file) && !exempt.has(file));

let found = 0;
for (const file of files)
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .forEach((line, index) => {
      for (const [word, instead] of banned) {
        const match = word.exec(line);
        if (!match) continue;
        found++;
        console.log(`${file}:${index + 1}: "${match[0]}" is a banned word; write: ${instead}`);
      }
    });
if (found > 0) console.log(`${found} banned words; docs/concepts/glossary.md has the standard terms`);
process.exit(found > 0 ? 1 : 0);
