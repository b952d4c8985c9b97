import { UsageError } from '../exit-codes.js';

const bash = `# stave completion for bash: eval "$(stave completion bash)"
_stave() {
  local IFS=$'\\n'
  COMPREPLY=($(stave __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == */ ]] && compopt -o nospace
}
complete -F _stave stave
`;

const zsh = `#compdef stave
# stave completion for zsh: eval "$(stave completion zsh)"
_stave() {
  local -a words_found clusters_found
  words_found=("\${(@f)$(stave __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  clusters_found=("\${(@M)words_found:#*/}")
  words_found=("\${(@)words_found:#(|*/)}")
  # a name inside the cluster follows, so no space is added
  (( \${#clusters_found} )) && compadd -S '' -- "\${(@)clusters_found}"
  (( \${#words_found} )) && compadd -- "\${(@)words_found}"
}
compdef _stave stave
`;

const fish = `# stave completion for fish: stave completion fish | source
complete -c stave -f -a '(set -l words (commandline -opc) (commandline -ct); stave __complete -- $words[2..-1] 2>/dev/null)'
`;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish };

/** Returns the script that makes a shell ask this command for completions. */
export function completionScript(shell: string): string {
  const script = scripts[shell];
  if (script === undefined) throw new UsageError(`completion is there for ${Object.keys(scripts).join(', ')}`);
  return script;
}
