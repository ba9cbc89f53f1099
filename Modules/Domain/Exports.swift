// Endpoints, clients and errors are made of HTTP's values: an import of Domain brings them.
@_exported public import StrataHTTP
