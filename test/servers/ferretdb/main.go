// Command ferretdb serves MongoDB's wire protocol for Stave's tests: FerretDB 1.24 over SQLite or PostgreSQL.
package main

import (
	"context"
	"flag"
	"log"
	"os/signal"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:27017", "address to listen on")
	sqlite := flag.String("sqlite", "", "directory of the SQLite databases")
	postgres := flag.String("postgres", "", "PostgreSQL URL; used instead of SQLite when given")
	flag.Parse()

	config := &ferretdb.Config{Listener: ferretdb.ListenerConfig{TCP: *listen}}
	switch {
	case *postgres != "":
		config.Handler, config.PostgreSQLURL = "postgresql", *postgres
	case *sqlite != "":
		config.Handler, config.SQLiteURL = "sqlite", "file:"+*sqlite+"/"
	default:
		log.Fatal("one of -sqlite and -postgres is needed")
	}

	server, err := ferretdb.New(config)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := server.Run(ctx); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}
