#!/bin/sh
# Makes arenapb/ from proto/ again. Needed only when the protocol changes; takes protoc and Go.
set -eu
cd "$(dirname "$0")"
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
GOBIN=$tools go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
GOBIN=$tools go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2
package=Marena/v1/game.proto=bot/arenapb,Marena/v1/play.proto=bot/arenapb
PATH=$tools:$PATH protoc -I proto \
    --go_out=. --go_opt=module=bot,"$package" \
    --go-grpc_out=. --go-grpc_opt=module=bot,"$package" \
    arena/v1/game.proto arena/v1/play.proto
