# SPDX-License-Identifier: MIT
# Completion for bash.

_kexpress()
{
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local commands='-l -e -u check status'
	local options='--load --exec --unload --initrd --ramdisk --dtb --append --command-line
		       --reuse-cmdline --json --debug --version --help'

	if [ "$current" = = ]; then
		current=
	elif [ "$previous" = = ]; then
		previous=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $previous in
	-l | --load | --initrd | --ramdisk | --dtb)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		return
		;;
	--append | --command-line)
		return
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$commands $options" -- "$current")
}
complete -F _kexpress kexpress
